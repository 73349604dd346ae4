import { once } from 'node:events'
import { rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { expect, test } from 'vitest'
import { echo, joinPlayers, openPageOnNode, startPlayers } from '../host/players/players-support.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { until } from '../support/until.js'
import { selfSigned } from './certificate.js'

interface Files {
  readonly cert: string
  readonly key: string
}

/** The names of certificates tell them apart. */
async function nameSeenAt(url: string): Promise<string> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const { subject } = socket.getPeerCertificate()
  socket.destroy()
  return String(subject.CN)
}

test('the host uses a renewed certificate for new connections, and drops none of 200', async () => {
  const folder = await temporaryFolder('renewal')
  const write = async (version: string, pair: Files): Promise<void> => {
    for (const name of ['cert', 'key'] as const) {
      await writeFile(join(folder, `${name}-${version}`), pair[name])
      // As certbot does: one link after the other.
      await symlink(`${name}-${version}`, join(folder, 'new'))
      await rename(join(folder, 'new'), join(folder, name))
    }
  }
  await write('1', selfSigned({ host: 'first.example' }))
  const stage = await startPlayers({ cert: join(folder, 'cert'), key: join(folder, 'key') })
  echo(await openPageOnNode(stage))
  const { lines, players } = stage
  const { url } = players
  const trusting = { rejectUnauthorized: false }
  const clients = await Promise.all(Array.from({ length: 200 }, () => joinPlayers(stage, '/', trusting)))
  let dropped = 0
  for (const { closed } of clients) void closed.then(() => (dropped += 1))
  expect(await nameSeenAt(url)).toBe('first.example')

  await write('2', { cert: selfSigned({ host: 'wrong.example' }).cert, key: selfSigned().key })
  await until(() => lines.length > 0)
  expect(await nameSeenAt(url)).toBe('first.example')

  await write('3', selfSigned({ host: 'second.example' }))
  await until(async () => (await nameSeenAt(url)) === 'second.example')
  for (const [index, { socket }] of clients.entries()) socket.send(`still here ${index}`)
  const answers = await Promise.all(clients.map(({ message }) => message(0)))
  expect(answers).toEqual(clients.map((_, index) => `still here ${index}`))
  expect(dropped).toBe(0)
  // A busy machine may also see a new certificate beside the key before.
  for (const line of lines)
    expect(line).toMatch(/cert and \S+key don't belong together, so the old certificate stays: /)
})
