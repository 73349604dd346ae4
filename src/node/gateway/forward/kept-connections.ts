import { Agent } from 'node:http'
import type { AgentOptions, ClientRequest } from 'node:http'
import { Agent as SecureAgent } from 'node:https'
import type { Socket } from 'node:net'

/** The part of an agent that keeps connections. Its methods may be replaced, which Node's types don't say. */
interface Keeper {
  keepSocketAlive(socket: Socket): boolean
  reuseSocket(socket: Socket, request: ClientRequest): void
}

/**
 * Keeps connections for later requests. One on which anything comes in between is ended: those bytes belong to an
 * earlier request, or to none, and Node would take them for the answer to the next.
 */
export function keepConnections(isSecure: boolean, timeout: number): Agent {
  const options: AgentOptions = { keepAlive: true, timeout }
  const agent = isSecure ? new SecureAgent(options) : new Agent(options)
  const keeper = agent as unknown as Keeper
  const keepSocketAlive = keeper.keepSocketAlive.bind(agent)
  const reuseSocket = keeper.reuseSocket.bind(agent)
  const end = function (this: Socket): void {
    this.destroy()
  }
  keeper.keepSocketAlive = (socket) => {
    if (socket.readableLength > 0 || !keepSocketAlive(socket)) return false
    socket.on('data', end)
    return true
  }
  keeper.reuseSocket = (socket, request) => {
    socket.removeListener('data', end)
    reuseSocket(socket, request)
  }
  return agent
}
