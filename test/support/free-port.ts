import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * A free port below those that systems give out by themselves: of these, another process may be given the same one before
 * the program for which it is asked has it, and then what answers there isn't that program.
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
