import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.js'
import { affordable } from './support/crowd.js'
import { expectRefusal, expectServing, startGateway } from './support/targets.js'
import { ask, dial, head } from './support/wire.js'

const MIB = 1024 * 1024

test('downloads that nobody reads keep no call out, and no other download for good', async () => {
  const dir = await temporaryFolder('gameserver-unread')
  await writeFile(join(dir, 'index.html'), '<!doctype html>')
  await writeFile(join(dir, 'large.bin'), Buffer.alloc(16 * MIB))
  const victim = await startGateway({ dir })
  for (let i = 0; i < affordable(300); i += 1) {
    const { socket, send } = await dial(victim.port)
    socket.pause()
    send(head('GET /large.bin', 'Host: localhost'))
    await expectServing(victim)
  }
  const get = () => ask(victim.port, 'GET /index.html', ['Host: localhost'])
  let answer = await get()
  while (answer.status === 200) answer = await get()
  expectRefusal(answer, 503, /downloads/)
  while ((await get()).status !== 200) await expectServing(victim)
})
