import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createSubject, type Finding, type Subject } from '../../src/cli/doctor/subject.js'
import { checks } from '../../src/cli/doctor/checks.js'
import { gameServer } from '../support/game-server.js'
import { listenHere } from '../support/listen.js'

export interface Arranged extends Partial<Pick<Subject, 'env' | 'origin' | 'file' | 'patience'>> {
  readonly url?: string
}

/** A port that nothing listens at. */
export const NOBODY = 'http://127.0.0.1:9'

/** What one check finds. */
export async function find(id: string, { url = NOBODY, ...arranged }: Arranged = {}): Promise<Finding> {
  const check = checks.find((one) => one.id === id)
  if (check === undefined) throw new Error(`There is no check ${id}`)
  const given = { env: {}, origin: undefined, file: undefined, version: '0.1.0', patience: 5_000 }
  const found = await check.run(createSubject({ ...given, url, ...arranged }))
  return [found].flat()[0]!
}

export type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** A sidecar that answers as a handler says, and where there is none for a path, as a real one does. */
export async function faulty(handlers: Readonly<Record<string, Handler>> = {}): Promise<string> {
  const server = createServer((request, response) => {
    const path = `${request.method} ${request.url}`
    const handler = handlers[path] ?? handlers['*'] ?? honest[path] ?? notFound
    request.resume().once('end', () => handler(request, response))
  })
  return `http://127.0.0.1:${await listenHere(server)}`
}

export const json =
  (status: number, body: unknown): Handler =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }

const notFound = json(404, { code: 5, message: 'Not Found', details: [] })

const honest: Readonly<Record<string, Handler>> = {
  'GET /gameserver': json(200, gameServer(1)),
  'POST /health': (request, response) => {
    response.writeHead(Number(request.headers['content-length']) > 0 ? 200 : 400).end('{}')
  },
  'GET /watch/gameserver': (_request, response) => {
    response.writeHead(200).write(`${JSON.stringify({ result: gameServer(1) })}\n`)
  },
}
