/** What anybody may know before joining, and no more. */
import { expect, test } from 'vitest';
import { parseOptions } from '../../../src/coordinator/options.ts';
import { PROTOCOL_VERSION } from '../../../src/protocol/messages.ts';
import { expectRefusal, goodAnswer } from '../../helpers/answers.ts';
import { ask } from '../../helpers/http.ts';
import { ServerTest } from '../../helpers/server.ts';

const servers = new ServerTest();
const HOME = '/v1/federations/default/announcement';

test('a plain federation: open on loopback, the server sees single answers', async () => {
  const server = await servers.start();
  expect(goodAnswer('getAnnouncement', await ask(`${server.url}${HOME}`))).toEqual({
    federation: { name: 'default', id: server.federation('default').record.id },
    protocol: PROTOCOL_VERSION,
    enrolment: 'open',
    objective: 'classification',
    columns: 'exact',
    secure: false,
    dp: null,
  });
});

test('needs no token, also where reading does', async () => {
  const server = await servers.start({ host: '0.0.0.0' });
  const { port } = new URL(server.url);
  const { json } = await ask(`http://127.0.0.1:${port}${HOME}`);
  expect(json).toMatchObject({ enrolment: 'invitation', federation: { name: 'default' } });
  expect((await ask(`http://127.0.0.1:${port}/v1/federations/default`)).status).toBe(401);
});

test('says what protects the contributions', async () => {
  const options = parseOptions('test', {
    objective: 'regression',
    scale: 'none',
    scaleTarget: 'none',
    minParticipants: 5,
    secure: {},
    dp: { clip: 1, epsilon: 4, honest: 3 },
  });
  const server = await servers.start({}, options);
  const announced = goodAnswer('getAnnouncement', await ask(`${server.url}${HOME}`));
  expect(announced).toMatchObject({ objective: 'regression', secure: true, dp: { epsilon: 4, delta: 1e-5 } });
});

test('a federation that is not there is not found', async () => {
  const server = await servers.start();
  expectRefusal(await ask(`${server.url}/v1/federations/none/announcement`), 'NO_SUCH_FEDERATION');
});
