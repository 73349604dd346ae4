/**
 * 2,000 players behind the nginx that `init --edge` writes, 20 of them with 200 messages a second each way, and a renewed
 * certificate in between: messages lost, round trips beside the direct way, memory of nginx. Needs nginx.
 *
 *   npm run bench -- edge [--quick]
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket, WebSocketServer } from 'ws'
import { parseAllDocuments } from 'yaml'
import { freePort } from './support/processes.mjs'
import { round } from './support/statistics.mjs'

export const title = 'Players behind an edge, through a renewed certificate'

const SENDERS = 20
const EVERY_MS = 5

export async function measure({ quick }) {
  const folder = mkdtempSync(join(tmpdir(), 'edge-'))
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })
  await once(server, 'listening')
  server.on('connection', (socket) => socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary })))
  const { port } = server.address()
  const edgePort = await freePort()
  const edge = startEdge(folder, port, edgePort)
  try {
    await untilListening(edgePort)
    const through = `wss://127.0.0.1:${edgePort}/127.0.0.1/${port}/`
    const seconds = quick ? 4 : 20
    const direct = await play(`ws://127.0.0.1:${port}/`, SENDERS, seconds / 2)
    const before = memoryOf(edge.pid)
    const renewal = sleep((seconds * 1000) / 2).then(() => makeCertificate(folder))
    const renewed = await play(through, quick ? 200 : 2000, seconds, () => memoryOf(edge.pid) - before)
    await renewal
    const isReloaded = readFileSync(join(folder, 'log'), 'utf8').includes('edge: reloaded')
    if (renewed.lost > 0 || renewed.closed > 0 || !isReloaded) process.exitCode = 1
    return [
      { way: 'direct', ...direct },
      { way: 'through the edge', ...renewed, reloaded: isReloaded },
    ]
  } finally {
    server.close()
    if (edge.exitCode === null) process.kill(-edge.pid, 'SIGKILL')
    else console.error(readFileSync(join(folder, 'log'), 'utf8'))
    rmSync(folder, { recursive: true, force: true })
  }
}

function startEdge(folder, port, edgePort) {
  writeFileSync(join(folder, 'package.json'), '{}')
  const cli = join(import.meta.dirname, '../dist/cli.js')
  const flags = ['--nodes', '127.0.0.0/8', '--ports', `${port}-${port}`, '--into', folder]
  execFileSync(process.execPath, [cli, 'init', '--yes', '--edge', 'play.example.com', ...flags])
  const [map] = parseAllDocuments(readFileSync(join(folder, 'edge.yaml'), 'utf8')).map((one) => one.toJS())
  const here = { '/tls/': `${folder}/tls/`, '/tmp/': `${folder}/`, '/etc/edge/': `${folder}/`, 'sleep 10': 'sleep 0.2' }
  here['listen 8443'] = `listen 127.0.0.1:${edgePort}`
  for (const [name, text] of Object.entries(map.data))
    writeFileSync(
      join(folder, name),
      text.replace(new RegExp(Object.keys(here).join('|'), 'g'), (part) => here[part]),
    )
  mkdirSync(join(folder, 'tls'))
  makeCertificate(folder)
  const log = openSync(join(folder, 'log'), 'a')
  return spawn('sh', [join(folder, 'run.sh')], { detached: true, stdio: ['ignore', log, log] })
}

function makeCertificate(folder) {
  const [key, cert] = ['tls.key', 'tls.crt'].map((name) => join(folder, 'tls', name))
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const files = ['-keyout', `${key}.new`, '-out', `${cert}.new`, '-subj', '/CN=localhost']
  execFileSync('openssl', ['req', ...kind, ...files], { stdio: 'ignore' })
  for (const file of [key, cert]) renameSync(`${file}.new`, file)
}

async function untilListening(port) {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    const isThere = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isThere) return
    await sleep(50)
  }
}

/** Opens the players, of whom the first ones send for some seconds; each answer must come in order. */
async function play(url, count, seconds, memory = () => undefined) {
  const players = []
  const began = performance.now()
  while (players.length < count) {
    const some = Array.from({ length: Math.min(50, count - players.length) }, () => dial(url))
    await Promise.all(some.map((socket) => once(socket, 'open')))
    players.push(...some)
  }
  const opened = performance.now() - began
  let closed = 0
  for (const player of players) player.once('close', () => closed++)
  const trips = []
  let sent = 0
  let came = 0
  for (const player of players.slice(0, SENDERS))
    player.on('message', (data) => {
      came++
      trips.push(performance.now() - data.readDoubleLE())
    })
  const end = performance.now() + seconds * 1000
  const due = performance.now()
  for (let turn = 0; performance.now() < end; turn++) {
    for (const player of players.slice(0, SENDERS)) {
      const bytes = Buffer.alloc(64)
      bytes.writeDoubleLE(performance.now())
      player.send(bytes)
      sent++
    }
    await sleep(Math.max(0, due + (turn + 1) * EVERY_MS - performance.now()))
  }
  for (let wait = 0; came < sent && wait < 100; wait++) await sleep(50)
  const bytes = memory()
  const wasClosed = closed
  for (const player of players) player.terminate()
  trips.sort((a, b) => a - b)
  const at = (share) => round(trips[Math.floor(trips.length * share)])
  const perPlayer = bytes === undefined ? '' : round(bytes / count / 1024)
  return {
    players: count,
    'opened in s': round(opened / 1000),
    'messages/s': Math.round(sent / seconds),
    lost: sent - came,
    closed: wasClosed,
    'p50 ms': at(0.5),
    'p99 ms': at(0.99),
    'KiB/player': perPlayer,
  }
}

function dial(url) {
  const socket = new WebSocket(url, { rejectUnauthorized: false, perMessageDeflate: false })
  socket.on('error', () => {})
  return socket
}

/** The memory of a process group, shared pages by their share, in bytes. */
function memoryOf(group) {
  const members = execFileSync('pgrep', ['-g', String(group)], { encoding: 'utf8' })
    .trim()
    .split('\n')
  const pss = (pid) => {
    try {
      return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0)
    } catch {
      return 0
    }
  }
  return members.map(pss).reduce((a, b) => a + b) * 1024
}
