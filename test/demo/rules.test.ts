import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocketServer } from 'ws'
import type { WebSocket } from 'ws'
import { root } from '../support/source.js'

const demo = async <T>(file: string): Promise<T> => (await import(pathToFileURL(join(root, 'demo', file)).href)) as T

type Ranking = readonly { readonly name: string; readonly score: number }[]

const players = (...scores: number[]): Ranking =>
  scores.map((score, i) => ({ name: ['Ada', 'Grace', 'Me'][i]!, score }))

interface Headline {
  headlineOf(ranking: Ranking): string
  winnersOf(ranking: Ranking): string
}

test.each<[Ranking, string, string]>([
  [[], 'Nobody is left', ''],
  [players(0), 'Nobody caught a star', ''],
  [players(0, 0), 'Nobody caught a star', ''],
  [players(3, 1, 0), 'Ada wins', 'Ada'],
  [players(3, 3, 1), 'A draw of Ada and Grace', 'Ada, Grace'],
  [players(2, 2, 2), 'A draw of Ada, Grace and Me', 'Ada, Grace, Me'],
])('the result of %j has the title %j, and its winners are %j', async (ranking, title, winners) => {
  const { headlineOf, winnersOf } = await demo<Headline>('shared/scoring.mjs')
  expect(headlineOf(ranking)).toBe(title)
  expect(winnersOf(ranking)).toBe(winners)
})

interface Company {
  keepCompany(url: string, names: string[], how: { aloneMs: number }): () => void
}

test('bots come to a player who is alone in the lobby, and leave with the last player', async () => {
  const { keepCompany } = await demo<Company>('browser/company.mjs')
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const joined: string[] = []
  const bots = new Set<WebSocket>()
  let observer: WebSocket | undefined
  const changed = (): boolean => server.emit('changed')
  server.on('connection', (socket) => {
    observer ??= socket
    socket.on('message', (data: Buffer) => {
      joined.push((JSON.parse(data.toString()) as { name: string }).name)
      bots.add(socket)
      socket.send(JSON.stringify({ type: 'joined', id: 100 + bots.size }))
      changed()
    })
    socket.on('close', () => {
      bots.delete(socket)
      changed()
    })
    changed()
  })
  const until = async (isTrue: () => boolean): Promise<void> => {
    while (!isTrue()) await once(server, 'changed')
  }
  const tell = (phase: string, ids: number[]): void =>
    observer!.send(JSON.stringify({ type: 'picture', phase, players: ids.map((id) => ({ id })) }))

  const end = keepCompany(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/`, ['Ada', 'Grace'], {
    aloneMs: 0,
  })
  onTestFinished(end)
  await until(() => observer !== undefined)
  tell('lobby', [])
  tell('lobby', [1, 2])
  tell('playing', [1])
  tell('lobby', [1])
  await until(() => bots.size === 2)
  expect(joined.sort()).toEqual(['Ada', 'Grace'])
  tell('playing', [1, 101, 102])
  tell('playing', [101, 102])
  await until(() => bots.size === 0)
  expect(joined).toHaveLength(2)
})
