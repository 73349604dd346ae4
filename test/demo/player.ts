import { once } from 'node:events'
import { WebSocket } from 'ws'

/** What a game server of the demos tells players. */
export interface Told {
  readonly type: string
  readonly state?: string
  readonly phase?: string
  readonly players?: readonly { readonly name: string; readonly x: number }[]
  readonly gameServer?: { readonly object_meta: { readonly name: string }; readonly status: { readonly state: string } }
}

export interface TestPlayer {
  /** Resolves with the next message that fits, after the last one found; rejects if the connection ends before. */
  until(fits: (message: Told) => boolean): Promise<Told>
  send(message: object): void
  /** The close code. */
  readonly closed: Promise<number>
}

/** Joins a match as a player's page does. @throws Error if it is refused */
export async function connectPlayer(address: string, site: string, name: string): Promise<TestPlayer> {
  const socket = new WebSocket(address, { origin: new URL(site).origin })
  const told: Told[] = []
  const waiting = new Set<() => void>()
  const closed = new Promise<number>((resolve) => {
    socket.on('close', resolve)
  })
  socket.on('message', (data: Buffer) => {
    told.push(JSON.parse(data.toString()) as Told)
    for (const look of waiting) look()
  })
  await once(socket, 'open')
  socket.send(JSON.stringify({ type: 'join', name }))

  return {
    closed,
    send: (message) => socket.send(JSON.stringify(message)),
    until: (fits) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = told.findIndex(fits)
          if (found < 0) return
          waiting.delete(look)
          resolve(told.splice(0, found + 1)[found]!)
        }
        waiting.add(look)
        look()
        void closed.then((code) => reject(new Error(`${name}'s connection has ended with ${code}`)))
      }),
  }
}
