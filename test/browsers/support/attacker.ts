import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import send from 'send'
import { listenHere } from '../../support/listen.js'
import { root } from '../../support/source.js'

const pages = join(root, 'test/browsers/pages')

/**
 * Starts a stranger's server: it serves the page, redirects to any address, and has a page whose policy reports to any
 * address.
 */
export async function startAttacker(): Promise<number> {
  const server = createHttpServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://attacker')
    const to = searchParams.get('to') ?? ''
    if (pathname === '/redirect') {
      response.writeHead(Number(searchParams.get('status')), { location: to, 'access-control-allow-origin': '*' })
      response.end()
    } else if (pathname === '/report') {
      const policy = `img-src 'none'; report-uri ${to}`
      response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': policy })
      response.end('<!doctype html><title>Report</title><img src="/forbidden.png">')
    } else send(request, pathname, { root: pages }).pipe(response)
  })
  return listenHere(server)
}

export interface SeenRequest {
  readonly method: string
  readonly target: string
  readonly headers: readonly string[]
}

/** A server that accepts every request, as a sidecar without checks of the origin does. */
export interface NaiveServer {
  readonly port: number
  readonly seen: SeenRequest[]
  /** Resolves once a request has come for which `holds` is true. */
  saw(holds: (request: SeenRequest) => boolean): Promise<void>
}

export async function startNaiveServer(): Promise<NaiveServer> {
  const seen: SeenRequest[] = []
  const server = createServer((socket) => {
    let text = ''
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      const [head = '', ...body] = text.split('\r\n\r\n')
      const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0)
      if (body.length === 0 || body.join('\r\n\r\n').length < length) return
      const [line = '', ...headers] = head.split('\r\n')
      const [method = '', target = ''] = line.split(' ')
      seen.push({ method, target, headers })
      server.emit('seen')
      text = ''
      socket.end('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n')
    })
  })
  const saw = async (holds: (request: SeenRequest) => boolean): Promise<void> => {
    while (!seen.some(holds)) await once(server, 'seen')
  }
  return { port: await listenHere(server), seen, saw }
}
