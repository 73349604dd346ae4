import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'

interface Place {
  readonly x: number
  readonly y: number
}

/** What the demo's server tells players. */
type Told =
  | { readonly type: 'joined'; readonly id: number }
  | {
      readonly type: 'picture'
      readonly players: readonly (Place & { readonly id: number; readonly score: number })[]
      readonly stars: readonly Place[]
    }
  | { readonly type: 'server' | 'refused' | 'stopped' | 'over' }

export interface Player {
  /** Resolves with the first message of that type, also one that has come already. */
  heard(type: Told['type']): Promise<void>
  /** Resolves once the match counts a star of this player. */
  readonly scored: Promise<void>
  readonly closed: Promise<number>
}

/** Joins a match of the demo, and runs for the nearest star as long as it lasts. */
export async function joinMatch(address: string, name: string): Promise<Player> {
  const socket = new WebSocket(address)
  onTestFinished(() => socket.terminate())
  const heard = new Set<Told['type']>()
  const waiting = new Set<() => void>()
  let self: number | undefined
  let score = (): void => {}
  const scored = new Promise<void>((resolve) => (score = resolve))
  socket.on('message', (data: Buffer) => {
    const told = JSON.parse(data.toString()) as Told
    heard.add(told.type)
    for (const look of waiting) look()
    if (told.type === 'joined') self = told.id
    if (told.type !== 'picture') return
    const me = told.players.find(({ id }) => id === self)
    if (me === undefined) return
    if (me.score > 0) score()
    const [star] = told.stars.map(({ x, y }) => ({ x: x - me.x, y: y - me.y })).sort((a, b) => length(a) - length(b))
    socket.send(JSON.stringify({ type: 'move', ...star }))
  })
  const closed = once(socket, 'close').then(([code]) => code as number)
  await once(socket, 'open')
  socket.send(JSON.stringify({ type: 'join', name }))
  return {
    closed,
    scored,
    heard: (type) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (heard.has(type)) resolve()
        }
        waiting.add(look)
        look()
      }),
  }
}

const length = ({ x, y }: Place): number => Math.hypot(x, y)
