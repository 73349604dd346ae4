/**
 * `npm run demo:host`: a page that is hosted as a dedicated game server, and players in pages of their own; with
 * `--once`, one match by itself.
 */
import { parseArgs } from 'node:util'
import { buildIfStale } from '../../build/build-if-stale.mjs'
import { buildGame } from './build.mjs'
import { startSite } from './site.mjs'

const HELP = `Usage: npm run demo:host [-- options]

  --once               play one short match with bots in a headless browser, then exit with 0 if every step came;
                       so it is without a terminal, unless --no-once is given
  --port <n>           port of the players' page; default: any free one
  --seconds <n>        length of a match; default: 60, with --once 3
  --browser <path>     the browser that the game server's page runs in; default: the lightest one there is
  --screenshot <file>  with --once: save a picture of a player's page in the middle of the match, as PNG`

const ending = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.once(signal, () => ending.abort(Object.assign(new Error(`Stopped by ${signal}.`), { signal })))
}

try {
  const options = readOptions(process.argv.slice(2))
  if (options.help) console.log(HELP)
  else await run(options)
} catch (error) {
  const isTaken = error.code === 'EADDRINUSE'
  console.error(isTaken ? `Port ${error.port} is already in use; choose another with --port.` : error.message)
  // The exit code is the host's own, which tells the reason.
  process.exitCode = error.exitCode ?? 1
}

async function run({ once, port, screenshot, ...options }) {
  await buildIfStale()
  // Imported only now, since they import the build.
  const play = once ? (await import('./once.mjs')).playOnce : (await import('./play-on.mjs')).playOn
  const game = await buildGame()
  let site
  try {
    site = await startSite(port)
    await play({ ...options, screenshot, dir: game.dir, site, signal: ending.signal })
  } finally {
    site?.close()
    await game.remove()
  }
}

function readOptions(args) {
  const { values } = parseArgs({
    args,
    allowNegative: true,
    options: {
      once: { type: 'boolean', default: process.stdout.isTTY !== true },
      port: { type: 'string', default: '0' },
      seconds: { type: 'string' },
      browser: { type: 'string' },
      screenshot: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const { once, help, browser, screenshot } = values
  if (screenshot !== undefined && !once) throw new Error('--screenshot goes with --once.')
  return {
    once,
    help,
    browser,
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
