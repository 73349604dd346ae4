import { writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cli } from '../cli/support.js'
import { portsOf } from '../host/support/processes.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** The status of an answer; 0 if nobody answers. */
const statusOf = (port: number, path: string, headers: Readonly<Record<string, string>>): Promise<number> =>
  new Promise((resolve, reject) => {
    const answered = (answer: IncomingMessage): void => {
      resolve(answer.statusCode!)
      answer.destroy()
    }
    get({ host: '127.0.0.1', port, path, headers }, answered)
      .on('upgrade', answered)
      .on('error', (error: NodeJS.ErrnoException) =>
        /ECONNREFUSED|ECONNRESET/.test(error.code!) ? resolve(0) : reject(error),
      )
  })

const upgrade = {
  ...{ connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' },
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
}

test.skipIf(process.platform !== 'linux').each([
  ['local', /SDK: /, ['--port', '0']],
  ['serve', / at http/, ['DIR', '--port', '0', '--local']],
  ['fleet', /→ Ready/, ['--port', '0', '--replicas', '1', '--', process.execPath, 'test/fleet/program.mjs']],
  ['demo', /Ctrl-C/, ['--no-open', '--port', '0']],
  ['demo', /Ctrl-C/, ['--fleet', '--no-open', '--port', '0']],
])('no port of %s answers a name that was led to this machine (%s %j)', async (command, started, args) => {
  const dir = await temporaryFolder('served')
  await writeFile(join(dir, 'index.html'), '<!doctype html>')
  const { child, line } = cli([command, ...args.map((word) => (word === 'DIR' ? dir : word))])
  await line(started)
  const ports = portsOf(child.pid!)
  const answers: { port: number; status: number }[] = []
  for (const port of ports) {
    for (const path of ['/', '/lobby', '/gameserver', '/_/', '/apis']) {
      for (const headers of [{ host: 'rebound.example' }, { host: `rebound.example:${port}`, ...upgrade }]) {
        answers.push({ port, status: await statusOf(port, path, headers) })
      }
    }
  }
  // A Fleet listens for a moment to find out whether a port is free, which its game server may have taken since.
  const kept = portsOf(child.pid!)
  const own = answers.filter(({ port }) => kept.includes(port))
  expect(own.length).toBeGreaterThan(0)
  expect(own.filter(({ status }) => ![401, 403].includes(status))).toEqual([])
})
