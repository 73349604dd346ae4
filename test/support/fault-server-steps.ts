import type { GameServer } from '../../src/protocol/game-server.js'
import type { Answer } from './fault-server-bytes.js'
import type { Ending, Exchange, ScriptedConnection } from './fault-server-exchange.js'
import type { Step } from './fault-server.js'

/** Sends this response. */
export const answering =
  (answer: Answer): Step =>
  (exchange) =>
    exchange.reply(answer)

/** Sends RST or FIN instead of a response. */
export const breaking =
  (ending: Ending): Step =>
  (exchange) =>
    exchange.break(ending)

/** Reads on without an answer until the other side ends the connection. */
export const blackHole: Step = (exchange) => exchange.connection.gone

/** Sends the head of a valid response, and then nothing. */
export const stallingAfterHead: Step = async (exchange) => {
  if (isWatch(exchange)) await exchange.open()
  else await exchange.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{')
  await exchange.connection.gone
}

/** Sends bytes that are not HTTP, then FIN. */
export const writing =
  (bytes: string | Uint8Array): Step =>
  async (exchange) => {
    await exchange.write(bytes)
    exchange.connection.finish()
  }

/** Sends these bytes, and then nothing until the other side ends the connection. */
export const writingAndWaiting =
  (bytes: string | Uint8Array): Step =>
  async (exchange) => {
    await exchange.write(bytes)
    await exchange.connection.gone
  }

/** The step with every byte in a segment of its own. */
export const byteByByte =
  (step: Step): Step =>
  (exchange) => {
    exchange.connection.slowDown()
    return step(exchange)
  }

/** Runs a step, and breaks the connection after that many bytes. */
export const cutAfter =
  (bytes: number, ending: Ending, step: Step): Step =>
  (exchange) => {
    exchange.connection.cutAfter(bytes, ending)
    return step(exchange)
  }

/** A correct watch: the last published object and all later ones. */
export const following: Step = async (exchange) => {
  await exchange.open()
  await exchange.follow()
}

/** A watch that sends these objects and then runs the step `then`, if any. */
export const sending =
  (gameServers: readonly GameServer[], then: Step = blackHole): Step =>
  async (exchange) => {
    await exchange.open()
    for (const gameServer of gameServers) await exchange.send(gameServer)
    await then(exchange)
  }

/** Sends a valid head, and then any bytes or texts. */
export const opened =
  (then: Step): Step =>
  async (exchange) => {
    await exchange.open()
    await then(exchange)
  }

/** Accepts and never reads or writes a byte. */
export const deafAndDumb = (connection: ScriptedConnection): void => connection.deafen()

/** The number of connections in the busiest second. */
export function busiestSecond(dials: readonly number[]): number {
  return dials.reduce((most, start) => {
    const within = dials.filter((at) => at >= start && at < start + 1000).length
    return Math.max(most, within)
  }, 0)
}

function isWatch({ request }: Exchange): boolean {
  return request.path === '/watch/gameserver'
}
