/** `kindred/client` wherever there is no Node: the participant and its ports. */
export {};
