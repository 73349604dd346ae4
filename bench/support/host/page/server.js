/**
 * A hosted game: it echoes each message at once, answers "steps" with the number of its steps, and sends 1 KiB at each
 * third step to players who connected at /snapshots. Without a host, the page only reports its first step.
 */
/* global GameServerSidecar -- of the client's script */
const host = globalThis.gameServerHost
const WORK_AT_THE_END_MS = 150
const STEPS_A_SNAPSHOT = 3
const snapshot = new Uint8Array(1024)
const sentAt = new DataView(snapshot.buffer)
const spectators = new Set()
const sidecar = host && GameServerSidecar.createClient({ autoHealth: true })
let steps = 0

globalThis.step = () => {
  steps += 1
  if (!host) {
    if (steps === 1) void fetch('/first-step')
    return
  }
  host.tick()
  if (steps === 1) void sidecar.ready()
  if (steps % STEPS_A_SNAPSHOT > 0 || spectators.size === 0) return
  sentAt.setFloat64(0, performance.timeOrigin + performance.now())
  for (const player of spectators) player.send(snapshot)
}

if (host) {
  host.onconnection = (player) => {
    if (player.url.startsWith('/snapshots')) spectators.add(player)
    player.onmessage = ({ data }) => player.send(data === 'steps' ? `${steps} ${performance.now()}` : data)
    player.onclose = () => spectators.delete(player)
  }
  host.addEventListener('shutdown', (event) => {
    const work = new Promise((resolve) => setTimeout(resolve, WORK_AT_THE_END_MS))
    event.waitUntil(work.then(() => sidecar.shutdown()))
  })
}
