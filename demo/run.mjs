/** `npm run demo`: plays match after match, as a Fleet would have them; with `--once`, one, by itself. */
import { parseArgs } from 'node:util'
import { buildIfStale } from '../build/build-if-stale.mjs'
import { startBot } from './bots.mjs'
import { keepCompany } from './company.mjs'
import { followLifecycle, lifecycle } from './lifecycle.mjs'
import { startPod } from './pod.mjs'
import { createReport } from './report.mjs'

const HELP = `Usage: npm run demo [-- options]

  --once         play one short match with bots, then exit with 0 if every step came; so it is without a terminal
  --port <n>     port of the page; default: any free one
  --seconds <n>  length of a match; default: 60, with --once 3`

const BOTS = ['Ada', 'Grace', 'Linus']

let stopPod = async () => {}
const interrupted = new Promise((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => resolve(signal))
})

try {
  const options = readOptions(process.argv.slice(2))
  if (options.help) console.log(HELP)
  else await run(options)
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}

async function run({ once, port, seconds }) {
  await buildIfStale()
  const play = once ? playOnce({ port, seconds }) : playOn({ port, seconds })
  try {
    const signal = await Promise.race([interrupted, play])
    if (once && signal !== undefined) throw new Error(`Stopped by ${signal}.`)
  } finally {
    await stopPod()
  }
}

/** One match of bots. */
async function playOnce({ port, seconds }) {
  const report = createReport()
  const steps = followLifecycle(lifecycle(BOTS.length))
  const bots = []
  let url
  const pod = open({
    port,
    seconds,
    onNews(news) {
      report.news(news)
      steps.news(news)
      if (news.kind === 'listening') url = news.text
      if (news.kind === 'state' && news.state === 'Ready') bots.push(...BOTS.map((name) => startBot(url, name)))
    },
  })
  try {
    await Promise.race([steps.done, pod.failed])
    await pod.stop()
  } finally {
    steps.cancel()
    for (const bot of bots) bot.leave()
  }
  console.log('Every step came, and both processes have ended.')
}

/** Match after match for whoever opens the page, each with a new sidecar and a new game server. */
async function playOn({ port, seconds }) {
  for (let round = 1, pagePort = port; ; round += 1) {
    const report = createReport()
    let onShutdown
    let endCompany = () => {}
    const shutdown = new Promise((resolve) => {
      onShutdown = resolve
    })
    const pod = open({
      port: pagePort,
      seconds,
      onNews(news) {
        report.news(news)
        if (news.kind === 'listening') {
          pagePort = news.port
          endCompany = keepCompany(news.text, BOTS.slice(0, 2))
          if (round === 1) console.log(`\n  Open ${news.text} and join. Ctrl+C ends the demo.\n`)
        }
        if (news.kind === 'state' && ['Shutdown', 'Unhealthy'].includes(news.state)) onShutdown()
      },
    })
    try {
      await Promise.race([shutdown, pod.failed])
      await pod.stop()
    } finally {
      endCompany()
    }
    console.log('\nThe GameServer is gone, and a new one takes its place, as in a Fleet.\n')
  }
}

function open(options) {
  const pod = startPod(options)
  stopPod = pod.stop
  return pod
}

function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      once: { type: 'boolean', default: process.stdout.isTTY !== true },
      port: { type: 'string', default: '0' },
      seconds: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const { once, help } = values
  return {
    once,
    help,
    port: whole('port', values.port, 0, 65_535),
    seconds: whole('seconds', values.seconds ?? (once ? '3' : '60'), 1, 3_600),
  }
}

function whole(name, text, least, most) {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= least && value <= most) return value
  throw new Error(`--${name} must be a whole number from ${least} to ${most}, not ${text}.`)
}
