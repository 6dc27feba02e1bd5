/**
 * What a training asks of its participants, as plain data: the rows may be held by this thread or by others
 * (node/threads/training-pool.ts). A method is then a generator that asks and is given the replies. It does not see who replies, and
 * a reply depends on the participant's rows and on what it was asked before, so it is the same wherever the rows are.
 */
import { type Answer, type AnswerOptions, answer, type WarmDuals } from '../solver/answer.ts';
import type { ProblemSettings } from '../solver/problem.ts';
import type { Shard } from '../solver/shard.ts';
import { beginAlone, improveAlone } from './alone.ts';
import type { Method, MethodInput, MethodResult, MethodSettings } from './method.ts';
import type { PlacedRows } from './prepare.ts';
import type { Task } from './workspace.ts';

interface Query {
  readonly query: Float64Array;
  readonly options: AnswerOptions;
  readonly warm: WarmDuals | undefined;
}

const REPLY = {
  /** The best personal part for a query. */
  answer: (shard: Shard, { query, options, warm }: Query): Answer => answer(shard, query, options, warm),
  /** u of these duals, computed afresh. */
  sum: (shard: Shard, beta: Float64Array): Float64Array => shard.combine(beta),
  beginAlone,
  improveAlone,
};

type QuestionKind = keyof typeof REPLY;
type QuestionOf<K extends QuestionKind> = Parameters<(typeof REPLY)[K]>[1];
type ReplyTo<K extends QuestionKind> = ReturnType<(typeof REPLY)[K]>;

/** The same kind of question to some participants, by their place in the list of tasks. */
export interface Asked {
  readonly kind: QuestionKind;
  readonly members: readonly number[];
  readonly questions: readonly unknown[];
}

/** Replies are given in the order of `members`. */
export type Asking<Result> = Generator<Asked, Result, readonly unknown[]>;

export function* ask<K extends QuestionKind>(
  kind: K,
  members: readonly number[],
  question: (member: number) => QuestionOf<K>,
): Asking<readonly ReplyTo<K>[]> {
  return (yield { kind, members, questions: members.map(question) }) as readonly ReplyTo<K>[];
}

/** What the holder of a participant's rows does with a question. */
export function replyTo(shard: Shard, kind: QuestionKind, question: unknown): unknown {
  return (REPLY[kind] as (shard: Shard, question: unknown) => unknown)(shard, question);
}

/** What a method that asks can see of its input: no rows. */
export interface AskingInput extends Omit<MethodInput, 'workspace'> {
  readonly tasks: readonly Pick<Task, 'id'>[];
  /** Length of vectors: the columns of all heads. */
  readonly d: number;
  readonly heads: number;
}

/** A method that needs nothing of its participants but replies. */
export interface AskingMethod {
  /** The problem that participants are given. */
  problem(settings: MethodSettings): ProblemSettings;
  run(input: AskingInput): Asking<MethodResult>;
}

/** The participants of a training, wherever their rows are. */
export interface Answerers {
  /** Gives them their rows, before anything is asked. */
  hold(rows: PlacedRows, problem: ProblemSettings): Promise<void>;
  ask(asked: Asked): Promise<readonly unknown[]>;
  release(): Promise<void>;
}

/** All rows here. */
export function inProcess({ problem, run }: AskingMethod): Method {
  return (input) => {
    const { workspace, settings } = input;
    const shards = workspace.each(problem(settings));
    return settle(run({ ...input, tasks: workspace.tasks, d: workspace.d, heads: workspace.heads }), shards);
  };
}

export function settle<Result>(asking: Asking<Result>, shards: readonly Shard[]): Result {
  let step = asking.next([]);
  while (!step.done) {
    const { kind, members, questions } = step.value;
    step = asking.next(members.map((member, i) => replyTo(shards[member], kind, questions[i])));
  }
  return step.value;
}

export async function settleWith<Result>(asking: Asking<Result>, answerers: Answerers): Promise<Result> {
  let step = asking.next([]);
  while (!step.done) step = asking.next(await answerers.ask(step.value));
  return step.value;
}
