/** Memory and CPU of hosts: one, several side by side, and with WebGL. */
import { median, round } from '../statistics.mjs'
import { sleep, startBareBrowser, startHost, stepsOf, stepsPerSecond, weigh } from './host-process.mjs'

const SETTLE_MS = 2_000

/** One host with Phaser, then the same page in a browser alone. At the same time, both would share memory. */
export async function measureAlone(dir, seconds) {
  const host = await startHost(dir)
  await sleep(SETTLE_MS)
  const { runner, browser } = await weigh(host.pids(), seconds)
  await host.end()
  const bare = await startBareBrowser(dir, '/')
  await sleep(SETTLE_MS)
  const { floor } = await weigh({ floor: bare.pids() }, seconds)
  await bare.end()
  const mb = runner.mb + browser.mb
  const cpu = runner.cpu + browser.cpu
  const row = (measure, ours, theirs, digits, goal) => ({
    measure,
    host: round(ours, digits),
    floor: round(theirs, digits),
    of: 'the browser alone with the page',
    ratio: round(ours / theirs),
    goal,
  })
  return {
    rows: [
      row('memory (PSS) with Phaser, MB', mb, floor.mb, 0, 220),
      { measure: '  of it the runner, MB', host: round(runner.mb, 0) },
      row('  memory that no other process has, MB', runner.own + browser.own, floor.own, 0),
      row('CPU with Phaser at 60 Hz, % of a core', cpu, floor.cpu, 1, 8),
      { measure: '  of it the runner, %', host: round(runner.cpu, 1) },
    ],
    figures: { mb, cpu },
  }
}

export async function measureWebgl(dir, seconds) {
  const host = await startHost(dir, '--path', '/?webgl', '--webgl')
  await sleep(SETTLE_MS)
  const { runner, browser } = await weigh(host.pids(), seconds)
  await host.end()
  const figures = { mb: runner.mb + browser.mb, cpu: runner.cpu + browser.cpu }
  return {
    rows: [
      { measure: 'memory (PSS) with Phaser and --webgl, MB', host: round(figures.mb, 0) },
      { measure: 'CPU with Phaser and --webgl, % of a core', host: round(figures.cpu, 1) },
    ],
    figures,
  }
}

/** That many hosts at once, each with its Phaser page and its runner. */
export async function measureSideBySide(dir, count, seconds) {
  const hosts = []
  for (let i = 0; i < count; i++) hosts.push(await startHost(dir))
  await sleep(SETTLE_MS)
  const before = await Promise.all(hosts.map(stepsOf))
  const groups = Object.fromEntries(hosts.map((host, i) => [i, Object.values(host.pids()).flat()]))
  const weights = Object.values(await weigh(groups, seconds))
  const after = await Promise.all(hosts.map(stepsOf))
  await Promise.all(hosts.map((host) => host.end()))
  const rates = after.map((now, i) => stepsPerSecond(before[i], now))
  return {
    hosts: count,
    'PSS of each, MB': round(median(weights.map(({ mb }) => mb)), 0),
    'CPU of each, %': round(median(weights.map(({ cpu }) => cpu)), 1),
    'CPU of all, %': round(
      weights.reduce((sum, { cpu }) => sum + cpu, 0),
      0,
    ),
    'steps/s, median': round(median(rates), 1),
    'steps/s, slowest host': round(Math.min(...rates), 1),
  }
}
