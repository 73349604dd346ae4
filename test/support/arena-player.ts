import { EventEmitter, once } from 'node:events'
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'

interface Place {
  readonly x: number
  readonly y: number
}

/** Messages from the demo's server to players. */
type Told =
  | { readonly type: 'joined'; readonly id: number }
  | {
      readonly type: 'picture'
      readonly players: readonly (Place & { readonly id: number; readonly score: number })[]
      readonly stars: readonly Place[]
    }
  | { readonly type: 'server' | 'refused' | 'stopped' | 'over' }

export interface Player {
  /** Resolves with the first message of a type, past or future. Rejects when the server closes the connection. */
  heard(type: Told['type']): Promise<void>
  /** Resolves once this player has a star. */
  readonly scored: Promise<void>
  readonly closed: Promise<number>
}

/** Joins a match of the demo, and runs for the nearest star until the match ends. */
export async function joinMatch(address: string, name: string): Promise<Player> {
  const socket = new WebSocket(address)
  onTestFinished(() => socket.terminate())
  const told = new EventEmitter()
  const heard = new Set<string>()
  let self: number | undefined
  const closed = once(socket, 'close').then(([code]) => code as number)
  const isOver = closed.then((code) => Promise.reject(new Error(`The server has closed ${name}'s socket with ${code}`)))
  const hear = async (what: string): Promise<void> => {
    if (!heard.has(what)) await Promise.race([once(told, what), isOver])
  }
  const tell = (what: string): void => {
    heard.add(what)
    told.emit(what)
  }
  const scored = hear('score')
  scored.catch(() => undefined)
  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString()) as Told
    tell(message.type)
    if (message.type === 'joined') self = message.id
    if (message.type !== 'picture') return
    const me = message.players.find(({ id }) => id === self)
    if (me === undefined) return
    if (me.score > 0) tell('score')
    const [star] = message.stars.map(({ x, y }) => ({ x: x - me.x, y: y - me.y })).sort((a, b) => length(a) - length(b))
    socket.send(JSON.stringify({ type: 'move', ...star }))
  })
  await once(socket, 'open')
  socket.send(JSON.stringify({ type: 'join', name }))
  return { closed, scored, heard: hear }
}

const length = ({ x, y }: Place): number => Math.hypot(x, y)
