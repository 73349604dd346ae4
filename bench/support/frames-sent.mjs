/**
 * Compares sending with `ws`'s Sender, each into a stream that only counts. Ours runs the whole class, `ws` only the
 * part that makes frames.
 */
import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { payloads, SIZES } from './frame-payloads.mjs'

const Sender = createRequire(import.meta.url)(`${import.meta.dirname}/../../node_modules/ws/lib/sender.js`)
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

const ours = async (createWebSocketClass, data) => {
  let bytes = 0
  let head
  let deliver
  const WebSocket = createWebSocketClass(() => ({
    write: (frame) => {
      head ??= Buffer.from(frame).toString()
      bytes += frame.length
      return true
    },
    close: () => {},
    onData: (listener) => {
      deliver = listener
    },
    onClose: () => {},
  }))
  const socket = new WebSocket('ws://localhost')
  await new Promise(setImmediate)
  const key = /Sec-WebSocket-Key: (.*)\r\n/.exec(head)[1]
  const accept = createHash('sha1')
    .update(key + GUID)
    .digest('base64')
  deliver(
    Buffer.from(
      `HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    ),
  )
  bytes = 0
  const run = (passes) => {
    for (let i = 0; i < passes; i++) socket.send(data)
    return passes
  }
  return Object.assign(run, { bytesOfOne: () => ((bytes = 0), run(1), bytes) })
}

const theirs = (data, binary) => {
  let bytes = 0
  const sender = new Sender({
    cork: () => {},
    uncork: () => {},
    write: (part) => {
      bytes += part.length
      return true
    },
  })
  const options = { fin: true, mask: true, binary, compress: false }
  const run = (passes) => {
    for (let i = 0; i < passes; i++) sender.send(data, options)
    return passes
  }
  return Object.assign(run, { bytesOfOne: () => ((bytes = 0), run(1), bytes) })
}

export async function sendingRow({ createWebSocketClass }, kind, sizeName) {
  const payload = payloads[kind](SIZES[sizeName])
  const binary = kind === 'binary'
  const data = binary ? payload : payload.toString()
  const runners = { ours: await ours(createWebSocketClass, data), ws: theirs(data, binary) }
  return {
    runners,
    check: () => {
      if (runners.ours.bytesOfOne() !== runners.ws.bytesOfOne()) throw new Error('The two sent different things')
    },
    held: () => ({}),
  }
}
