/**
 * A hosted game's time to start, the time until its end is noticed, and the processes and files that it leaves behind.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { median, round } from '../statistics.mjs'
import { ofGroup, processes, rendererOf } from './figures.mjs'
import { sleep, spawnHost, startBareBrowser, startHost } from './host-process.mjs'

const WORK_AT_THE_END_MS = 150

/** Starts and ends hosts one after the other. The floor is the same page in a browser alone, until its first step. */
export async function measureLife(dir, rounds) {
  const times = { tick: [], ready: [], floor: [], plainTick: [], plainFloor: [], term: [], termFloor: [] }
  const ends = { renderer: [], browser: [], floor: [] }
  // The first round fills the page cache.
  for (let i = rounds > 1 ? -1 : 0; i < rounds; i++) {
    const host = await startHost(dir)
    await sleep(100)
    const told = await lastsUntil(host.exited, () => host.child.kill())
    check('told to stop', await host.end(), 0)
    const bare = await startBareBrowser(dir, '/')
    await bare.end()
    const plain = await startHost(dir, '--path', '/plain.html')
    await sleep(100)
    const crash = await lastsUntil(plain.exited, () => process.kill(rendererOf(plain.groups().at(-1)).pid, 'SIGKILL'))
    check('its renderer killed', await plain.end(), 70)
    const plainBare = await startBareBrowser(dir, '/plain.html')
    await plainBare.end()
    const other = await startHost(dir, '--path', '/plain.html')
    await sleep(100)
    const death = await lastsUntil(other.exited, () => process.kill(other.groups().at(-1), 'SIGKILL'))
    check('its browser killed', await other.end(), 70)
    const { killed, termed } = await endsOfNode()
    if (i < 0) continue
    times.tick.push(host.times.booted)
    times.ready.push(host.times.ready)
    times.floor.push(bare.ms)
    times.plainTick.push(plain.times.booted)
    times.plainFloor.push(plainBare.ms)
    times.term.push(told)
    times.termFloor.push(termed)
    ends.renderer.push(crash)
    ends.browser.push(death)
    ends.floor.push(killed)
  }
  const row = (measure, ours, floor, of, goal) => ({
    measure,
    host: ms(ours),
    floor: ms(floor),
    of,
    ratio: ratio(ours, floor),
    goal,
  })
  const alone = 'the browser alone with the page'
  return [
    row('start to first step, Phaser, ms', times.tick, times.floor, alone, 500),
    row('start to ready() at the sidecar, Phaser, ms', times.ready, times.floor, alone, 600),
    row('start to first step, no engine, ms', times.plainTick, times.plainFloor, alone),
    row('renderer killed to exit 70, ms', ends.renderer, ends.floor, 'a bare Node killed', 50),
    row('browser killed to exit 70, ms', ends.browser, ends.floor, 'a bare Node killed', 50),
    row('SIGTERM to exit 0, page works 150 ms, ms', times.term, times.termFloor, 'a bare Node that waits 150 ms', 300),
  ]
}

/**
 * Kills browsers before the first Ready, so that the host starts new ones, and looks for leftover processes and files.
 */
export async function measureRemains(dir, times) {
  const host = await spawnHost([dir, '--players-port', '0', '--path', '/never-ready.html'])
  await host.until('booted')
  for (let i = 1; i <= times; i++) {
    process.kill(host.groups().at(-1), 'SIGKILL')
    await host.until('booted', i + 1)
  }
  await sleep(500)
  const killed = host.groups().slice(0, -1)
  const orphans = () => killed.flatMap(ofGroup).filter(({ state }) => state !== 'Z').length
  const zombies = () => processes().filter(({ parent, state }) => parent === host.child.pid && state === 'Z').length
  const row = { measure: `orphans and zombies after ${times} killed browsers`, host: orphans() + zombies(), goal: 0 }
  const last = host.groups().at(-1)
  host.child.kill('SIGKILL')
  await host.end()
  await sleep(1_000)
  const left = ofGroup(last).filter(({ state }) => state !== 'Z').length
  return [row, { measure: 'orphans 1 s after a killed runner', host: left, goal: 0 }]
}

async function endsOfNode() {
  const killed = await startNode('setInterval(() => {}, 1e6)')
  const killedMs = await lastsUntil(once(killed, 'exit'), () => killed.kill('SIGKILL'))
  const waits = await startNode(`process.on('SIGTERM', () => setTimeout(process.exit, ${WORK_AT_THE_END_MS}))`)
  return { killed: killedMs, termed: await lastsUntil(once(waits, 'exit'), () => waits.kill()) }
}

async function startNode(code) {
  const child = spawn(process.execPath, ['-e', `${code}; setInterval(() => {}, 1e6); console.log('up')`])
  await once(child.stdout, 'data')
  return child
}

async function lastsUntil(ended, cause) {
  const began = performance.now()
  cause()
  await ended
  return performance.now() - began
}

function check(what, code, expected) {
  if (code !== expected) throw new Error(`A host, ${what}, ended with ${code} instead of ${expected}`)
}

const ms = (times) => round(median(times), 1)
const ratio = (ours, floor) => round(median(ours) / median(floor))
