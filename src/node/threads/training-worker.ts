/** A thread that holds the rows of some participants and replies for them. */
import { Arena } from '../../math/arena.ts';
import { columnsIn, taskOver } from '../../methods/prepare.ts';
import { replyTo } from '../../methods/questions.ts';
import { Shard } from '../../solver/shard.ts';
import { takeRequests } from './threads.ts';
import type { HeldRows, ToAnswerer } from './training-pool.ts';

let shards: readonly Shard[] = [];

takeRequests((request: ToAnswerer): unknown[] => {
  if ('rows' in request) {
    shards = hold(request);
    return [];
  }
  const { kind, members, questions } = request;
  return members.map((member, i) => replyTo(shards[member], kind, questions[i]));
});

function hold({ rows, forms, problem }: HeldRows): Shard[] {
  const arena = new Arena();
  const d = columnsIn(rows);
  return rows.own.map((own, i) => new Shard(arena, problem, { ...taskOver(rows, own), d }, forms[i]));
}
