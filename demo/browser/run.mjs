/**
 * `npm run demo:browser`: a game server in a page, and players in others; with `--once`, one match by itself,
 * in a browser without a window.
 */
import { parseArgs } from 'node:util'
import { buildIfStale } from '../../build/build-if-stale.mjs'
import { buildGame } from './build.mjs'
import { startRelay } from './relay.mjs'

const HELP = `Usage: npm run demo:browser [-- options]

  --once               play one short match with bots in a headless browser, then exit with 0 if every step came;
                       so it is without a terminal
  --port <n>           port of the game server's page; default: any free one
  --seconds <n>        length of a match; default: 60, with --once 3
  --screenshot <file>  with --once: save a picture of the game server's page in the middle of the match, as PNG`

const ending = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.once(signal, () => ending.abort(new Error(`Stopped by ${signal}.`)))
}

try {
  const options = readOptions(process.argv.slice(2))
  if (options.help) console.log(HELP)
  else await run(options)
} catch (error) {
  const isTaken = error.code === 'EADDRINUSE'
  console.error(isTaken ? `Port ${error.port} is already in use; choose another with --port.` : error.message)
  process.exitCode = 1
}

async function run({ once, ...options }) {
  await buildIfStale()
  // Only now, since they import what was built.
  const play = once ? (await import('./once.mjs')).playOnce : (await import('./play-on.mjs')).playOn
  const game = await buildGame()
  const relay = await startRelay()
  try {
    await play({ ...options, dir: game.dir, relay, signal: ending.signal })
  } finally {
    relay.close()
    await game.remove()
  }
}

function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      once: { type: 'boolean', default: process.stdout.isTTY !== true },
      port: { type: 'string', default: '0' },
      seconds: { type: 'string' },
      screenshot: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const { once, help, screenshot } = values
  if (screenshot !== undefined && !once) throw new Error('--screenshot goes with --once.')
  return {
    once,
    help,
    screenshot,
    port: whole('port', values.port, 0, 65_535),
    seconds: whole('seconds', values.seconds ?? (once ? '3' : '60'), 1, 3_600),
  }
}

function whole(name, text, least, most) {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= least && value <= most) return value
  throw new Error(`--${name} must be a whole number from ${least} to ${most}, not ${text}.`)
}
