// The bugs that mutation-check.mjs plants: a text of the sources, and what takes its place.
export const SCHEDULES = 'test/federation/faults.test.ts';
const RESTARTS = 'test/federation/restarts.test.ts';
const RESTING = 'test/federation/resting.test.ts';
const LIARS = 'test/federation/liars.test.ts';
const COORDINATOR = 'test/federation/coordinator.test.ts';
const ENROLMENT = 'test/node/server/enrolment.test.ts';
const HOSTS = 'test/node/server/host-names.test.ts';
const AUDIT_LOG = 'test/node/server/audit-log.test.ts';

// `by`: where something other than the schedules is meant to find it.
export const MUTATIONS = [
  {
    bug: 'a late answer is taken for one to the open round',
    file: 'src/coordinator/collecting/plain.ts',
    from: 'if (round < state.round || round <= member.barred) return [outcome];',
    to: 'if (round <= member.barred) return [outcome];',
  },
  {
    bug: 'the outcome is ignored: an accepted answer is rolled back',
    file: 'src/participant/outcome.ts',
    from: 'if (accepted.round === round) {',
    to: 'if (accepted.round === round && round % 3 !== 0) {',
  },
  {
    bug: 'the participant stores its answer after it has sent it',
    file: 'src/participant/machine.ts',
    from: ": [persist, { type: 'send', message: asSent(state, pending) }];",
    to: ": [{ type: 'send', message: asSent(state, pending) }, persist];",
  },
  {
    bug: 'the coordinator opens a round before the last one is stored',
    file: 'src/coordinator/closing.ts',
    from: "return [{ type: 'row', row }, ...effects];",
    to: "return [{ type: 'row', row }, ...effects.slice(1), effects[0]];",
  },
  {
    bug: 'an answer is counted again in the next round',
    file: 'src/coordinator/rounds.ts',
    from: 'member.answer = undefined;\n    member.partial = undefined;\n    member.answered = false;\n    noteNoReply',
    to: 'member.answered = member.answer !== undefined && state.round % 4 === 0;\n    if (!member.answered) member.answer = undefined;\n    noteNoReply',
  },
  {
    bug: 'an answer is added to the sum instead of replacing the one before',
    file: 'src/solver/inquiry.ts',
    from: 'this.last.members.set(member, {\n      round,\n      value: value + dot(this.query, taken),',
    to: 'if (known?.u) this.last.rest = plusScaled(this.last.rest, 1, known.u);\n    this.last.members.set(member, {\n      round,\n      value: value + dot(this.query, taken),',
  },
  {
    bug: 'after a restart what an answer replaces is not subtracted',
    file: 'src/solver/inquiry.ts',
    from: 'this.last.rest = plusScaled(this.last.rest, -1, previous);',
    to: '',
  },
  {
    bug: 'after a restart answers are taken without what they replace',
    file: 'src/coordinator/collecting/plain.ts',
    from: 'if (inquiryOf(state)?.needsPrevious(member.index) && !message.previous) {',
    to: 'if (inquiryOf(state)?.needsPrevious(member.index) && !message.previous && message.round < 0) {',
  },
  {
    bug: 'asked again, members keep the round of their last accepted answer',
    file: 'src/coordinator/training.ts',
    from: 'for (const member of state.members.values()) member.accepted = NOTHING_ACCEPTED;',
    to: '',
  },
  {
    bug: 'asked again, participants keep the round of what was accepted before',
    file: 'src/participant/outcome.ts',
    from: 'state.stored = { ...state.stored, base: 0, committed: undefined, summed: undefined, answeredW: undefined };',
    to: 'state.stored = { ...state.stored, committed: undefined, summed: undefined };',
  },
  {
    bug: 'the query of the first round is answered for ever',
    file: 'src/participant/machine.ts',
    from: '    w: order.w,\n    committed,',
    to: '    w: new Float64Array(order.w.length),\n    committed,',
  },
  {
    bug: 'messages to an earlier session of the participant are believed',
    file: 'src/participant/machine.ts',
    from: "if ('session' in message && message.session !== 0 && message.session !== state.stored.session)\n    return message.kind === 'round' || message.kind === 'finish' ? compareStates(state) : [];",
    to: '',
  },
  {
    bug: 'a late finish settles answers to later rounds',
    file: 'src/participant/finishing.ts',
    from: "if (message.reason !== 'left' && message.round < newestRound(state)) return compareStates(state);",
    to: '',
  },
  {
    bug: 'the bounds do not allow for those who did not answer',
    file: 'src/solver/inquiry.ts',
    from: 'const primal = likely + absent;',
    to: 'const primal = likely + 0 * Math.min(absent, 1);',
  },
  {
    bug: 'who is missing is not held still in the lower bound',
    file: 'src/solver/inquiry.ts',
    from: 'if (held && (before || round === present)) this.freeze(member);',
    to: '',
  },
  {
    bug: 'the bounds of other members are kept when somebody joins',
    file: 'src/solver/inquiry.ts',
    from: 'if (another && this.best) this.best = { ...this.best, ...UNBOUNDED };',
    to: '',
  },
  {
    bug: 'training ends before everybody has answered',
    file: 'src/coordinator/closing.ts',
    from: 'if (!proof.known || !proof.settled || !proof.complete) return false;',
    to: 'if (!proof.known || !proof.settled) return false;',
    by: RESTING,
  },
  {
    bug: 'changed rows leave the answers about those before in the sum',
    file: 'src/coordinator/joining.ts',
    from: '  dropAnswers(state, member);\n  dropProof(state);',
    to: '  dropProof(state);',
    by: RESTING,
  },
  {
    bug: 'a value may be above what earlier answers allow',
    file: 'src/coordinator/refusals.ts',
    from: 'if (value > known.most + room) {',
    to: 'if (value > known.most + room + 1e12) {',
    by: LIARS,
  },
  {
    bug: 'an honest answer is refused: the smoothness bound has no slack for the way between two queries',
    file: 'src/solver/inquiry.ts',
    from: 'const most = known.value - dot(this.query, known.u) + this.last.slack(known.query, this.query);',
    to: 'const most = known.value - dot(this.query, known.u);',
  },
  {
    bug: 'that a round is closed to a participant is not durable',
    file: 'src/coordinator/collecting/plain.ts',
    from: 'return [persist(state, [member]), outcome];',
    to: 'return [outcome];',
    by: COORDINATOR,
  },
  {
    bug: 'the sum of a forgotten member stays after a restart',
    file: 'src/coordinator/training.ts',
    from: 'if (member.index >= 0 && !inquiry.forget(member.index)) askAgain(state);',
    to: 'if (member.index >= 0) inquiry.forget(member.index);',
    by: RESTARTS,
  },
  {
    bug: 'a name that begins like loopback is taken for loopback',
    by: HOSTS,
    file: 'src/node/server/host-names.ts',
    from: 'const name = hostIn(header);\n    if (name === undefined) return false;',
    to: 'const name = hostIn(header);\n    if (/^(::ffff:)?127\\./.test(header)) return true;\n    if (name === undefined) return false;',
  },
  {
    bug: 'the address that was dialled is not checked',
    by: HOSTS,
    file: 'src/node/server/join-proof.ts',
    from: "if (origin !== 'checked') checkOrigin(this.hosts, server, localAddress);",
    to: '',
  },
  {
    bug: 'a list of keys undoes a revocation',
    by: ENROLMENT,
    file: 'src/node/server/admission.ts',
    from: 'if (known && withRevoked(known).includes(allowed.key)) revoked.push(allowed);',
    to: 'if (known && allowed.key === "") revoked.push(allowed);',
  },
  {
    bug: 'an invitation for anybody takes a name that somebody was invited under',
    by: ENROLMENT,
    file: 'src/node/server/newcomers.ts',
    from: 'if (held) throw',
    to: 'if (held && participant === "") throw',
  },
  {
    bug: 'keys of small order enrol',
    by: ENROLMENT,
    file: 'src/node/crypto.ts',
    from: 'return !ed25519.Point.fromBytes(raw, false).isSmallOrder();',
    to: 'return ed25519.Point.fromBytes(raw, false) !== undefined;',
  },
  {
    bug: 'keys are kept whether or not their signatures are good',
    by: 'test/node/crypto.test.ts',
    file: 'src/node/crypto.ts',
    from: 'if (isGood) identities.keep(key, identity);',
    to: 'identities.keep(key, identity);',
  },
  {
    bug: 'entries of the audit log do not name the one before',
    by: AUDIT_LOG,
    file: 'src/host/audit-chain.ts',
    from: ': entry.previous !== last',
    to: ': entry.previous.length !== last.length',
  },
];
