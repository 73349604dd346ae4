/** Reads all events of the source, by the client or with `ws`, and sends its rate to its parent. */
const [kind, port, events] = [process.argv[2], process.argv[3], Number(process.argv[4])]

const readers = {
  client: async (onObject) => {
    const { createClient } = await import('../../dist/index.js')
    const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, watch: 'websocket' })
    client.on('gameserver', onObject)
    return () => client.close()
  },
  ws: async (onObject) => {
    const { WebSocket } = await import('ws')
    const socket = new WebSocket(`ws://127.0.0.1:${port}/watch/gameserver`, { perMessageDeflate: false })
    socket.onmessage = ({ data }) => onObject(JSON.parse(data).result)
    return () => socket.close()
  },
}

let seen = 0
let started
let cpu
const stop = await readers[kind]((gameServer) => {
  seen += 1
  // A client's first object may come by a read, before its watch is open.
  if (seen === 2) {
    started = performance.now()
    cpu = process.cpuUsage()
  }
  if (gameServer.object_meta.resource_version === String(events)) finish()
})

function finish() {
  const seconds = (performance.now() - started) / 1000
  const { user, system } = process.cpuUsage(cpu)
  if (seen !== events) throw new Error(`${kind} saw ${seen} of ${events} events`)
  stop()
  process.send({ eventsPerSecond: (events - 2) / seconds, cpuPerEvent: (user + system) / (events - 2) })
}
