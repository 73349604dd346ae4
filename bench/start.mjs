/** The time from a command's start to the sidecar's first response, compared with a bare server and Node itself. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { end, freePort, root, startLocalSidecar } from './support/processes.mjs'
import { median, quantile, round } from './support/statistics.mjs'

export const title = 'From the start of a command to the first answer'

const BARE = `require('node:http').createServer((_, reply) => reply.end('{}')).listen(Number(process.argv[1]), '127.0.0.1')`
const node = (...args) => spawn(process.execPath, args, { stdio: 'ignore' })

const starts = {
  'node, which does nothing': async () => {
    const child = node('-e', '0')
    const start = performance.now()
    await once(child, 'exit')
    return performance.now() - start
  },
  'a bare server in node': (port) => timeAnswer(port, () => node('-e', BARE, String(port))),
  'gameserver-sidecar local': (port) => timeAnswer(port, () => startLocalSidecar(port).child),
  'gameserver-sidecar --version': async () => {
    const start = performance.now()
    await once(node(join(root, 'dist', 'cli.js'), '--version'), 'exit')
    return performance.now() - start
  },
}

/** Retries at once after a refusal, since a pause would add to the figure. */
async function timeAnswer(port, run) {
  const start = performance.now()
  const child = run()
  for (;;) {
    try {
      await (await fetch(`http://127.0.0.1:${port}/gameserver`)).text()
      break
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  }
  const ms = performance.now() - start
  await end(child)
  return ms
}

export async function measure({ quick }) {
  const times = Object.fromEntries(Object.keys(starts).map((name) => [name, []]))
  // In turns, so that other load on this machine affects all of them.
  for (let i = 0; i < (quick ? 5 : 30); i++) {
    for (const [name, run] of Object.entries(starts)) times[name].push(await run(await freePort()))
  }
  return Object.entries(times).map(([name, all]) => ({
    command: name,
    'median ms': round(median(all)),
    'p90 ms': round(quantile(all, 0.9)),
  }))
}
