/**
 * A game server for Node, Deno and Bun. Its arguments are what it does, one after the other; then it stays until it is
 * told to stop.
 */
import { spawn } from 'node:child_process'
import process from 'node:process'

const { AGONES_SDK_HTTP_HOST: host, AGONES_SDK_HTTP_PORT: port } = process.env
const call = (path) => fetch(`http://${host}:${port}${path}`, { method: 'POST', body: '{}' })

const deeds = {
  ready: () => call('/ready'),
  shutdown: () => call('/shutdown'),
  allocate: () => call('/allocate'),
  greet: () => {
    console.log('hello')
    console.error('an error')
  },
  throw: () => {
    throw new Error('the level is missing')
  },
  'throw at length': () => {
    const requireStack = Array.from({ length: 30 }, (_, i) => `/app/node_modules/some-package/${i}.js`)
    throw Object.assign(new Error('no such module'), { requireStack })
  },
  'run out of heap': () => {
    for (const all = []; ;) all.push(new Array(1e6).fill({}))
  },
  title: () => console.log(`title ${process.title}`),
  leave: () => process.exit(0),
  fail: () => process.exit(3),
  'die unfinished': () => {
    process.stdout.write('no end of line')
    process.stderr.write('the last words')
    process.exitCode = 4
  },
  flood: () => {
    for (let i = 0; i < 20_000; i++) console.log(`line ${i} ${'x'.repeat(100)}`)
  },
  'endless line': () => new Promise((resolve) => process.stdout.write('x'.repeat(50_000_000), resolve)),
  stubborn: () => {
    process.on('SIGTERM', () => console.log('not yet'))
  },
  save: () => {
    process.on('SIGTERM', async () => {
      await new Promise((resolve) => setTimeout(resolve, 50))
      console.log('saved')
      await call('/shutdown')
      process.exit(0)
    })
  },
  'interrupted by SIGINT': () => {
    process.on('SIGINT', () => {
      console.log('SIGINT')
      process.exit(5)
    })
  },
  /** Starts a process that outlives this one, unless somebody ends it. */
  child: () => {
    const { pid } = spawn('sleep', ['600'], { stdio: ['ignore', 'inherit', 'inherit'] })
    console.log(`child ${pid}`)
  },
  /** Prints a line for the test that waits for it. */
  up: () => console.log(`up ${process.pid}`),
  stay: () => setInterval(() => {}, 1000),
}

for (const deed of process.argv.slice(2)) await deeds[deed]()
