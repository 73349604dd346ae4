import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { json } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { root } from '../../support/source.js'

const types: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript' }

export interface PageServer {
  origin: string
  /** What the page posts first. */
  told: Promise<unknown>
  /** Takes the place of SIDECAR in HTML from now on. */
  setSidecar(url: string): void
}

/** Serves files, by path below the project's root, until the test is finished. */
export async function servePages(files: Readonly<Record<string, string>>): Promise<PageServer> {
  let sidecarUrl = ''
  let tell: (value: unknown) => void
  const told = new Promise<unknown>((resolve) => { tell = resolve })
  const server = createServer((request, response) => {
    const file = files[new URL(request.url ?? '/', 'http://page').pathname]
    if (request.method === 'POST') {
      void json(request).then(tell)
      response.end()
    } else if (file === undefined) response.writeHead(404).end()
    else {
      const text = readFileSync(join(root, file), 'utf8')
      response.setHeader('content-type', types[extname(file)]!)
      response.end(extname(file) === '.html' ? text.replace('SIDECAR', sidecarUrl) : text)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    told,
    setSidecar: (url) => { sidecarUrl = url },
  }
}
