/**
 * Sends requests as fast as one process can: a few kept connections, each with its next request right after a response.
 */
import { once } from 'node:events'
import { connect } from 'node:net'

const CONNECTIONS = 16
const END_OF_HEAD = '\r\n\r\n'
const END_OF_CHUNKS = '\r\n0\r\n\r\n'

export async function requestsPerSecond(port, path, requests) {
  const each = Math.floor(requests / CONNECTIONS)
  const request = `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`
  const began = performance.now()
  await Promise.all(Array.from({ length: CONNECTIONS }, () => ask(port, request, each)))
  return (each * CONNECTIONS) / ((performance.now() - began) / 1000)
}

async function ask(port, request, times) {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1')
  let left = times
  let received = ''
  socket.on('data', (text) => {
    received += text
    if (!isWhole(received)) return
    if (!received.startsWith('HTTP/1.1 200')) throw new Error(`Not the answer to measure: ${received.slice(0, 200)}`)
    received = ''
    left -= 1
    if (left > 0) socket.write(request)
    else socket.destroy()
  })
  socket.write(request)
  await once(socket, 'close')
  if (left > 0) throw new Error(`The connection ended with ${left} requests unanswered`)
}

function isWhole(received) {
  const endOfHead = received.indexOf(END_OF_HEAD)
  if (endOfHead < 0) return false
  const length = /\r\ncontent-length: *(\d+)/i.exec(received.slice(0, endOfHead + 2))?.[1]
  if (length === undefined) return received.endsWith(END_OF_CHUNKS)
  return received.length >= endOfHead + END_OF_HEAD.length + Number(length)
}

/** The times of sequential GETs in ms, each on a connection of its own. */
export async function getTimes(port, path, requests) {
  const request = `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`
  const times = []
  for (let i = 0; i < requests; i++) {
    const began = performance.now()
    await ask(port, request, 1)
    times.push(performance.now() - began)
  }
  return times
}
