// Many connections from a process of their own: each sends a text, and goes on with `drip`, a byte at a time.
import { connect } from 'node:net'

const { port, count, text, drip } = JSON.parse(process.argv[2])
const AT_ONCE = 200

const sockets = []
let opened = 0
let ended = 0

function open(i) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.resume()
    socket.once('connect', () => {
      opened += 1
      socket.write(text.replaceAll('NUMBER', String(i)))
      resolve()
    })
    socket.once('close', () => {
      ended += 1
      resolve()
    })
  })
}

process.on('message', () => process.send({ opened, open: opened - ended }))
process.on('disconnect', () => process.exit())

let next = 0
async function openInTurn() {
  while (next < count) await open(next++)
}
await Promise.all(Array.from({ length: AT_ONCE }, openInTurn))
if (!process.connected) process.exit()
process.send({ opened, open: opened - ended })
if (drip !== undefined) {
  let at = 0
  setInterval(() => {
    for (const socket of sockets) if (!socket.destroyed) socket.write(drip[at % drip.length])
    at += 1
  }, 100)
}
