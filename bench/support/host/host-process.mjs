/**
 * Runs `gameserver-sidecar host` as a process, with a local sidecar in this one, and a browser alone for comparison.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { WebSocket } from 'ws'
import { createLocalSidecar } from '../../../dist/node.js'
import { root } from '../processes.mjs'
import { memoryOf, ofGroup, secondsOf } from './figures.mjs'

const CLI = join(root, 'dist', 'cli.js')
const SHELL = ['/usr/lib/chromium/chromium-headless-shell', '/usr/bin/chromium'].find(existsSync)
/** No limits for players: the measurements find the host's own limits. */
const PLAYERS = ['--players-port', '0', '--players-host', '127.0.0.1', '--max-players', '4000', '--max-rate', '1000000']
const TYPES = { '.html': 'text/html', '.js': 'text/javascript' }

/** A folder with the pages and their scripts. */
export async function makeBuild() {
  const dir = await mkdtemp(join(tmpdir(), 'bench-host-'))
  await cp(join(import.meta.dirname, 'page'), dir, { recursive: true })
  await cp(join(root, 'dist', 'gameserver-sidecar.umd.js'), join(dir, 'client.js'))
  await cp(join(root, 'node_modules', 'phaser', 'dist', 'phaser.min.js'), join(dir, 'phaser.js'))
  return { dir, remove: () => rm(dir, { recursive: true }) }
}

/** Starts a host with a page, and resolves when its GameServer is Ready. */
export async function startHost(dir, ...flags) {
  const host = await spawnHost([dir, ...PLAYERS, ...flags])
  await Promise.all([host.until('booted'), host.until('ready')])
  return { ...host, port: Number(new URL((await host.until('listening')).players).port) }
}

/** Starts `gameserver-sidecar host`. `times` has the ms from its start until each of its events first came. */
export async function spawnHost(args) {
  const local = await createLocalSidecar({ mode: 'local' })
  const began = performance.now()
  const child = spawn(process.execPath, [CLI, 'host', '--log-format', 'json', '--sidecar', local.url, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const events = []
  const times = {}
  const waits = new Set()
  const come = (event, rest) => {
    events.push({ event, ...rest })
    times[event] ??= performance.now() - began
    for (const look of waits) look()
  }
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { event, ...rest } = JSON.parse(line)
    come(event, rest)
  })
  local.sidecar.log.subscribe(({ event }) => {
    if (event.type === 'call' && event.call.operation === 'ready') come('ready', {})
  })
  const exited = once(child, 'exit').then(([code, signal]) => {
    come('gone', {})
    return code ?? signal
  })
  /** Resolves with the `count`th event of a name. */
  const until = (name, count = 1) =>
    new Promise((resolve, reject) => {
      const look = () => {
        const found = events.filter(({ event }) => event === name)
        const hasEnded = events.at(-1)?.event === 'gone'
        if (found.length < count && !hasEnded) return
        waits.delete(look)
        if (found.length >= count) resolve(found[count - 1])
        else reject(new Error(`The host has ended without ${name}: ${JSON.stringify(events)}`))
      }
      waits.add(look)
      look()
    })
  /** Of each browser that was started, the process that its others are grouped by. */
  const groups = () => events.filter(({ event }) => event === 'browser').map(({ pid }) => pid)
  return {
    child,
    times,
    exited,
    until,
    groups,
    /** The runner, and the processes of the browser. */
    pids: () => ({ runner: [child.pid], browser: ofGroup(groups().at(-1)).map(({ pid }) => pid) }),
    /** Resolves with the exit code or the signal by which it ended. */
    async end() {
      if (child.exitCode === null && child.signalCode === null) child.kill()
      const how = await exited
      await local.close()
      return how
    },
  }
}

/**
 * The same page in the same browser without a host. This process serves its files. Resolves with the page's first step.
 */
export async function startBareBrowser(dir, path) {
  const profile = await mkdtemp(join(tmpdir(), 'bench-bare-'))
  let tell
  const stepped = new Promise((resolve) => (tell = resolve))
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost')
    if (pathname === '/first-step') return tell(response.end())
    const file = join(dir, pathname === '/' ? 'index.html' : pathname)
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'text/plain' }).end(readFileSync(file))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const began = performance.now()
  const child = spawn(
    SHELL,
    ['--headless', '--remote-debugging-pipe', '--no-first-run', '--in-process-gpu', '--disable-extensions'].concat(
      ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--mute-audio'],
      ['--disable-dev-shm-usage', '--disable-breakpad', '--renderer-process-limit=1', '--window-size=320,240'],
      ['--disable-background-timer-throttling', '--disable-renderer-backgrounding', '--disable-gpu'],
      ['--disable-software-rasterizer', `--user-data-dir=${profile}`, ...(process.getuid() ? [] : ['--no-sandbox'])],
      [...(process.getuid() ? [] : ['--no-zygote']), `http://127.0.0.1:${server.address().port}${path}`],
    ),
    { detached: true, stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], env: { ...process.env, HOME: profile } },
  )
  await stepped
  return {
    ms: performance.now() - began,
    pids: () => ofGroup(child.pid).map(({ pid }) => pid),
    async end() {
      process.kill(-child.pid, 'SIGKILL')
      await once(child, 'exit')
      server.close()
      server.closeAllConnections()
      await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
    },
  }
}

/** Memory in MB and CPU in % of a core, over some seconds, of groups of processes by name. */
export async function weigh(groups, seconds) {
  const before = mapValues(groups, secondsOf)
  const began = performance.now()
  await sleep(seconds * 1000)
  return mapValues(groups, (pids, name) => ({
    mb: memoryOf(pids).pss / 1e6,
    own: memoryOf(pids).own / 1e6,
    cpu: ((secondsOf(pids) - before[name]) / (performance.now() - began)) * 1e5,
  }))
}

/** Reads the number of a page's steps, and the time on its clock. */
export async function stepsOf({ port }) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}`)
  await once(socket, 'open')
  socket.send('steps')
  const [answer] = await once(socket, 'message')
  socket.terminate()
  const [steps, at] = String(answer).split(' ').map(Number)
  return { steps, at }
}

export const stepsPerSecond = (before, after) => ((after.steps - before.steps) / (after.at - before.at)) * 1000

export const mapValues = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value, name)]))
export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
