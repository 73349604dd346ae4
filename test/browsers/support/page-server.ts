import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import send from 'send'
import { onTestFinished } from 'vitest'

export interface PageServer {
  /** The folder's address with the host of the tests' choice. */
  url(path: string, host?: string): string
  origin: string
}

/** Serves a folder on an origin of its own until the test is finished. */
export async function servePages(folder: string, headers: Readonly<Record<string, string>> = {}): Promise<PageServer> {
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    send(request, new URL(request.url!, 'http://page').pathname, { root: folder }).pipe(response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    url: (path, host = '127.0.0.1') => `http://${host}:${port}/${path}`,
  }
}
