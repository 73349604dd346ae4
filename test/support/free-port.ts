import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * A free port below the range that systems assign. Another process could get an assigned port before the program under
 * test opens it, and then answer in its place.
 */
export async function freePort(): Promise<number> {
  const port = 10_240 + randomInt(20_000)
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return freePort()
  }
  server.close()
  await once(server, 'close')
  return port
}
