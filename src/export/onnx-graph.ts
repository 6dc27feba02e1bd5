/**
 * An ONNX model as bytes: nodes, initial tensors, inputs and outputs. Field numbers are those of onnx.proto3 (IR version 7, operator set 13 of the core
 * domain: what runtimes since 2020 load). https://github.com/onnx/onnx/blob/main/onnx/onnx.proto3
 */
import { bytes, type Field, joined, message, whole, words } from './protobuf.ts';

const IR_VERSION = 7;
const OPERATOR_SET = 13;
/** TensorProto.DataType. */
const TYPES = { int64: 7, double: 11 } as const;
/** AttributeProto.AttributeType.INT. */
const INT_ATTRIBUTE = 2;
/** AttributeProto.AttributeType and TensorProto.DataType of a Cast. */
export const INT64 = TYPES.int64;

export interface Node {
  readonly operator: string;
  readonly inputs: readonly string[];
  readonly output: string;
  readonly attributes?: Readonly<Record<string, number>>;
}

export interface Constant {
  readonly name: string;
  readonly shape: readonly number[];
  readonly values: Float64Array | BigInt64Array;
}

/** An input or output; a dimension is a number, or a name where any number will do. */
export interface Port {
  readonly name: string;
  readonly type: keyof typeof TYPES;
  readonly shape: readonly (number | string)[];
}

export interface Graph {
  readonly name: string;
  readonly about: string;
  readonly nodes: readonly Node[];
  readonly constants: readonly Constant[];
  readonly inputs: readonly Port[];
  readonly outputs: readonly Port[];
  readonly metadata: Readonly<Record<string, string>>;
}

export function onnxBytes({ name, about, nodes, constants, inputs, outputs, metadata }: Graph): Uint8Array {
  const graph = message(
    7,
    ...nodes.map(nodeField),
    words(2, name),
    ...constants.map(constantField),
    ...inputs.map((port) => portField(11, port)),
    ...outputs.map((port) => portField(12, port)),
  );
  const properties = Object.entries(metadata).map(([key, value]) =>
    message(14, words(1, key), words(2, value)),
  );
  return joined([
    ...[whole(1, IR_VERSION), words(2, 'kindred'), words(6, about), graph],
    message(8, words(1, ''), whole(2, OPERATOR_SET)),
    ...properties,
  ]);
}

function nodeField({ operator, inputs, output, attributes = {} }: Node): Field {
  return message(
    1,
    ...inputs.map((input) => words(1, input)),
    ...[words(2, output), words(3, output), words(4, operator)],
    ...Object.entries(attributes).map(([key, value]) =>
      message(5, words(1, key), whole(3, value), whole(20, INT_ATTRIBUTE)),
    ),
  );
}

function constantField({ name, shape, values }: Constant): Field {
  const type = values instanceof Float64Array ? TYPES.double : TYPES.int64;
  const raw = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  return message(5, ...shape.map((size) => whole(1, size)), whole(2, type), words(8, name), bytes(9, raw));
}

function portField(field: number, { name, type, shape }: Port): Field {
  const dimensions = shape.map((size) =>
    message(1, typeof size === 'number' ? whole(1, size) : words(2, size)),
  );
  const tensor = message(1, whole(1, TYPES[type]), message(2, ...dimensions));
  return message(field, words(1, name), message(2, tensor));
}
