import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type AddressInfo } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { websocketHeaders } from '../node/support.js'
import { selfSigned } from './certificate.js'
import { startGateway } from './support.js'

/** Seconds after which the kernel asks a silent other end whether it is there; nothing where it doesn't. */
function askedAfter(port: number, otherPort: number): number | undefined {
  const hex = (value: number): string => value.toString(16).toUpperCase().padStart(4, '0')
  const rows = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((row) => row.trim().split(/\s+/))
  const own = rows.find(
    ([, local, remote]) => local?.endsWith(`:${hex(port)}`) && remote?.endsWith(`:${hex(otherPort)}`),
  )
  const [timer, due = ''] = own?.[5]?.split(':') ?? []
  // 2 is the timer for that, of hundredths of a second in all of Linux's tables.
  return timer === '02' ? parseInt(due, 16) / 100 : undefined
}

const ways = [
  ['http', () => ({}), (port: number) => connect(port, '127.0.0.1')],
  ['https', selfSigned, (port: number) => connectSecurely({ port, host: '127.0.0.1', rejectUnauthorized: false })],
] as const

test.skipIf(process.platform !== 'linux').each(ways)(
  'a watcher over %s that is silent is asked whether it is still there',
  async (_scheme, certificate, dial) => {
    const { port } = await startGateway({ local: true, ...certificate() })
    const socket = dial(port)
    onTestFinished(() => void socket.destroy())
    const head = ['GET /_/sidecar/watch/gameserver HTTP/1.1', 'Host: localhost', ...websocketHeaders, '', '']
    socket.write(head.join('\r\n'))
    await once(socket, 'data')
    const { port: own } = socket.address() as AddressInfo
    // Until what was sent has been acknowledged, there is another one.
    await expect.poll(() => askedAfter(port, own)).toBeLessThan(31)
  },
)
