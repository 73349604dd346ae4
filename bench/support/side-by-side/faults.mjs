/** What each SDK does when its sidecar comes late, restarts or hangs: a real sidecar, and the SDK in a process of its own. */
import { fork } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { answered, end, freePort, startRealSidecar } from '../processes.mjs'
import { median, round } from '../statistics.mjs'

const GUEST = join(import.meta.dirname, 'guest.mjs')
/** After so long a thing counts as never. */
const NEVER_MS = 30_000
const DOWN_MS = 3000

/** A sidecar that can go and come back at its ports, and the times at which it logged a beat. */
async function createSidecar() {
  const ports = [await freePort(), await freePort()]
  const sidecar = { ports, url: `http://127.0.0.1:${ports[0]}`, beats: [], child: undefined, start, stop }
  async function start() {
    const started = startRealSidecar(process.env.SDK_SERVER, ...ports, 'pipe')
    sidecar.child = started.child
    for (const stream of [started.child.stdout, started.child.stderr])
      createInterface({ input: stream }).on(
        'line',
        (line) => /health ping/i.test(line) && sidecar.beats.push(performance.now()),
      )
    await answered(sidecar.url, started)
  }
  async function stop() {
    sidecar.child.kill('SIGCONT')
    await end(sidecar.child)
  }
  return sidecar
}

function startGuest(kind, folder, sidecar) {
  const child = fork(GUEST, [kind, folder, ...sidecar.ports.map(String)], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const messages = []
  child.on('message', (message) => messages.push({ ...message, at: performance.now() }))
  return {
    child,
    messages,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    /** A command of the SDK; without an answer, only the time tells. */
    setLabel: (value) => child.connected && child.send({ value }),
  }
}

/** Seconds from `begin` until `find` gives the time of something, or `never`. */
async function secondsUntil(begin, find, again = () => {}) {
  while (performance.now() - begin < NEVER_MS) {
    const at = find()
    if (at !== undefined) return `${round((at - begin) / 1000, 1)} s`
    again()
    await sleep(100)
  }
  return 'never'
}

async function withBoth(kind, folder, run) {
  const sidecar = await createSidecar()
  let guest
  try {
    return await run(sidecar, () => (guest = startGuest(kind, folder, sidecar)))
  } finally {
    if (guest) await end(guest.child)
    await sidecar.stop()
  }
}

const connected = ({ messages }) => messages.find((message) => message.connected)?.at

/** @returns rows by what was measured */
export async function measureFaults(kind, folder, { changes }) {
  return {
    ...(await withBoth(kind, folder, (sidecar, start) => watchAndRestart(sidecar, start, changes))),
    ...(await withBoth(kind, folder, comeLate)),
    ...(await withBoth(kind, folder, hang)),
  }
}

async function watchAndRestart(sidecar, start, changes) {
  await sidecar.start()
  const begin = performance.now()
  const guest = start()
  await secondsUntil(begin, () => guest.messages.find(({ label }) => label !== undefined)?.at ?? connected(guest))
  const put = (value) =>
    fetch(`${sidecar.url}/metadata/label`, { method: 'PUT', body: JSON.stringify({ key: 'round', value }) })
  const times = []
  for (let i = 0; i < changes; i++) {
    const sent = performance.now()
    await put(`change-${i}`)
    const isSeen = () => guest.messages.find(({ label }) => label === `change-${i}`)?.at
    while (isSeen() === undefined && performance.now() - sent < NEVER_MS) await sleep(1)
    times.push((isSeen() ?? Infinity) - sent)
  }

  await sidecar.stop()
  await sleep(DOWN_MS)
  const came = performance.now()
  await sidecar.start()
  let tries = 0
  const command = await secondsUntil(
    came,
    () =>
      guest.messages.find(({ value, outcome, at }) => value?.startsWith('again') && outcome === 'done' && at > came)
        ?.at,
    () => guest.setLabel(`again-${tries++}`),
  )
  const watch = await secondsUntil(
    came,
    () => guest.messages.find(({ label, at }) => label?.startsWith('after') && at > came)?.at,
    () => void put(`after-${tries++}`).catch(() => {}),
  )
  const beat = await secondsUntil(came, () => sidecar.beats.find((at) => at > came))
  return {
    'a change reaches the watch, median': `${round(median(times), 1)} ms`,
    'sidecar restarts: next command succeeds after': command,
    'sidecar restarts: watch goes on after': watch,
    'sidecar restarts: next heartbeat after': beat,
    'sidecar restarts: process lives': guest.isAlive() ? 'yes' : 'no',
  }
}

/** The game is there 35 seconds before its sidecar. */
async function comeLate(sidecar, start) {
  const guest = start()
  await sleep(35_000)
  const came = performance.now()
  await sidecar.start()
  const after = await secondsUntil(came, () => connected(guest))
  return { 'sidecar starts 35 s after the game: connected after': guest.isAlive() ? after : 'never, the process ended' }
}

/** The sidecar is stopped, its sockets stay open: half-open connections, as after a node's network fails. */
async function hang(sidecar, start) {
  await sidecar.start()
  const guest = start()
  await secondsUntil(performance.now(), () => connected(guest))
  sidecar.child.kill('SIGSTOP')
  while (await answersSoon(sidecar.url));
  const began = performance.now()
  guest.setLabel('hang')
  const rejected = ({ value, outcome }) => value === 'hang' && outcome !== 'done'
  const settled = await secondsUntil(began, () => guest.messages.find(rejected)?.at)
  return { 'sidecar hangs: a command is rejected after': settled }
}

const answersSoon = (url) =>
  fetch(`${url}/gameserver`, { signal: AbortSignal.timeout(1000) }).then(
    () => true,
    () => false,
  )
