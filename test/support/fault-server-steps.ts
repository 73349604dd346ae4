import type { GameServer } from '../../src/protocol/game-server.js'
import type { Ending, ScriptedConnection } from './fault-server-connection.js'
import type { Exchange } from './fault-server-exchange.js'
import type { Answer } from './fault-server-http.js'
import type { Step } from './fault-server.js'

/** Answers with exactly this. */
export const answering =
  (answer: Answer): Step =>
  (exchange) =>
    exchange.reply(answer)

/** RST or FIN in place of an answer. */
export const breaking =
  (ending: Ending): Step =>
  (exchange) =>
    exchange.break(ending)

/** Reads on and never says a word, until the other side leaves. */
export const blackHole: Step = (exchange) => exchange.connection.gone

/** The head of a good answer, and then nothing. */
export const stallingAfterHead: Step = async (exchange) => {
  if (isWatch(exchange)) await exchange.open()
  else await exchange.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{')
  await exchange.connection.gone
}

/** Bytes that are no HTTP at all, then FIN. */
export const writing =
  (bytes: string | Uint8Array): Step =>
  async (exchange) => {
    await exchange.write(bytes)
    exchange.connection.finish()
  }

/** These bytes, and nothing more until the other side leaves. */
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

/** The step, broken off after that many bytes. */
export const cutAfter =
  (bytes: number, ending: Ending, step: Step): Step =>
  (exchange) => {
    exchange.connection.cutAfter(bytes, ending)
    return step(exchange)
  }

/** A good watch: the object published last and all that follow. */
export const following: Step = async (exchange) => {
  await exchange.open()
  await exchange.follow()
}

/** A watch that starts with these objects and then does what `then` says, or nothing more. */
export const sending =
  (gameServers: readonly GameServer[], then: Step = blackHole): Step =>
  async (exchange) => {
    await exchange.open()
    for (const gameServer of gameServers) await exchange.send(gameServer)
    await then(exchange)
  }

/** A good head and then the bytes or texts a test makes up. */
export const opened =
  (then: Step): Step =>
  async (exchange) => {
    await exchange.open()
    await then(exchange)
  }

/** Accepts and never reads or writes a byte. */
export const deafAndDumb = (connection: ScriptedConnection): void => connection.deafen()

/** How many dials came in the busiest second of them all. */
export function busiestSecond(dials: readonly number[]): number {
  return dials.reduce((most, start) => {
    const within = dials.filter((at) => at >= start && at < start + 1000).length
    return Math.max(most, within)
  }, 0)
}

function isWatch({ request }: Exchange): boolean {
  return request.path === '/watch/gameserver'
}
