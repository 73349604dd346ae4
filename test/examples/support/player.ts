import { once } from 'node:events'
import { WebSocket } from 'ws'
import { createSeen } from '../../support/seen.js'
import type { Cleanup } from '../../support/start-process.js'

export type Message = Readonly<Record<string, unknown>>

/** A player of an example. Messages are JSON in both directions. */
export interface Player {
  readonly messages: readonly Message[]
  /** Resolves with the first message of a `type`, past or future. Rejects if the connection closes first. */
  message(type: string): Promise<Message>
  send(message: unknown): void
  /** Leaves, and resolves once the connection is closed. */
  leave(): Promise<void>
  /** How the connection was closed. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
}

/** Connects with `?player=` and other values in the query, where the examples read them. */
export async function connectPlayer(
  { onTestFinished }: Cleanup,
  url: string,
  player: string,
  query: Readonly<Record<string, string>> = {},
): Promise<Player> {
  const socket = new WebSocket(`${url}/?${new URLSearchParams({ player, ...query }).toString()}`)
  onTestFinished(() => socket.terminate())
  const messages = createSeen<Message>()
  socket.on('message', (data: Buffer) => messages.add(JSON.parse(data.toString()) as Message))
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => {
      messages.end()
      resolve({ code, reason: reason.toString() })
    })
  })
  // After `open`, `close` follows each error.
  socket.on('error', () => {})
  await once(socket, 'open')
  return {
    messages: messages.all,
    message: (type) => messages.find((message) => (message['type'] === type ? message : undefined)),
    send: (value) => socket.send(JSON.stringify(value)),
    leave: async () => {
      socket.close()
      await closed
    },
    closed,
  }
}
