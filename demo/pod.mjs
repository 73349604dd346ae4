import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const path = (name) => fileURLToPath(new URL(name, import.meta.url))
const CLI = path('../dist/cli.js')
const GAME_SERVER = path('gameserver.yaml')
const SERVER = path('server/main.mjs')

/** How long a process may take to end by itself once it is told to. */
const GRACE_MS = 5_000

/**
 * A sidecar and a game server, each a process of its own, as a pod holds them. `onNews` is told what the game server
 * tells, and first where the sidecar is. `failed` rejects, in a sentence, when something goes wrong.
 */
export function startPod({ port, seconds, onNews }) {
  const started = []
  let stopping
  let fail
  const failed = new Promise((_resolve, reject) => {
    fail = reject
  })
  failed.catch(() => {}) // whoever waits for something else looks at it later

  function follow(child, name) {
    started.push({ child, name })
    child.on('error', (error) => fail(new Error(`The ${name} could not be started: ${error.message}.`)))
    child.on('exit', (code, signal) => {
      if (stopping === undefined) fail(new Error(`The ${name} ended unasked, with ${signal ?? `exit code ${code}`}.`))
    })
    return child
  }

  function startGameServer(sidecarPort) {
    if (stopping !== undefined) return
    onNews({ kind: 'sidecar', text: `port ${sidecarPort}, production mode` })
    const server = follow(
      fork(SERVER, {
        env: {
          ...process.env,
          AGONES_SDK_HTTP_PORT: sidecarPort,
          DEMO_PORT: String(port),
          DEMO_SECONDS: String(seconds),
        },
      }),
      'game server',
    )
    server.on('message', (news) => {
      if (news.kind === 'failed') fail(new Error(news.text))
      else onNews(news)
    })
  }

  async function end() {
    for (const { child } of started) {
      if (child.connected) child.disconnect()
      else child.kill('SIGTERM')
    }
    const forced = await Promise.all(started.map(({ child }) => hasToBeForced(child)))
    started.forEach(({ child, name }, i) => {
      if (forced[i]) throw new Error(`The ${name} did not end by itself within ${GRACE_MS / 1000} s.`)
      if (child.exitCode) throw new Error(`The ${name} ended with exit code ${child.exitCode}.`)
    })
  }

  const sidecar = follow(
    spawn(process.execPath, [CLI, 'local', '--mode', 'production', '--http-port', '0', '--file', GAME_SERVER], {
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
    'local sidecar',
  )
  onPort(sidecar, startGameServer)
  return {
    failed,
    /** Ends both; can be called again. @throws Error if one has to be forced, or ends badly */
    stop: () => (stopping ??= end()),
  }
}

/** Tells the port that the sidecar says it has; what else it says is dropped. */
function onPort(sidecar, tell) {
  createInterface({ input: sidecar.stdout }).on('line', (line) => {
    const port = /AGONES_SDK_HTTP_PORT=(\d+)/.exec(line)?.[1]
    if (port !== undefined) tell(port)
  })
}

async function hasToBeForced(child) {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return false
  let forced = false
  const timer = setTimeout(() => {
    forced = child.kill('SIGKILL')
  }, GRACE_MS)
  await once(child, 'exit')
  clearTimeout(timer)
  return forced
}
