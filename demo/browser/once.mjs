/* global document -- of the page */
import { createReport } from './report.mjs'
import { startBrowser } from './browser.mjs'
import { PLAYERS_TO_START, startGameServer } from './game-server.mjs'

const BOTS = ['Ada', 'Grace']
/** The longest time for each step, which lets a browser start on a busy machine. */
const PATIENCE_MS = 60_000
const VIEW = { width: 1280, height: 900 }

/**
 * One match: the game server's page in the host's browser, and two players' pages in another, which play by
 * themselves.
 */
export async function playOnce({ site, screenshot, signal, ...options }) {
  const report = createReport()
  const steps = followLifecycle([...lifecycle(PLAYERS_TO_START), exitsWith(0)], PATIENCE_MS)
  let onReady
  const ready = new Promise((resolve) => {
    onReady = resolve
  })
  const onNews = (news) => {
    report.news(news)
    steps.news(news)
    if (news.state === 'Ready') onReady()
  }
  const aborted = new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
  })
  aborted.catch(() => {}) // `until` handles the rejection later

  const closing = [steps.cancel]
  try {
    const server = await startGameServer({ ...options, site, onNews })
    closing.push(() => server.close(signal.reason?.signal))
    signal.throwIfAborted()
    const failed = server.ended.then(({ code, reason }) => {
      if (code === 0) return
      throw Object.assign(new Error(`The game server has failed with exit code ${code}. ${reason}.`), {
        exitCode: code,
      })
    })
    failed.catch(() => {}) // as above
    const until = (promise) => Promise.race([promise, aborted, failed.then(() => promise)])

    const browser = await startBrowser({ onTrouble: (text) => onNews({ kind: 'trouble', text }) })
    closing.push(browser.close)
    onNews({ kind: 'browser', text: `${browser.version}, headless, for the players` })

    await until(Promise.race([ready, steps.done])) // no platform sends players earlier
    const players = await until(Promise.all(BOTS.map((name) => browser.open(`${site.url}?bot=${name}`, name, VIEW))))

    const shown = Promise.all([
      ...players.map(ranking),
      screenshot && takeScreenshot(players[0], options.seconds, screenshot),
    ])
    shown.catch(() => {}) // as above
    await until(steps.done)
    const rankings = await until(shown)
    BOTS.forEach((name, i) => onNews({ kind: 'player', text: `${name}'s page shows: ${rankings[i]}` }))
    if (screenshot) onNews({ kind: 'browser', text: `the middle of the match is in ${screenshot}` })
  } finally {
    for (const end of closing.reverse()) await end()
  }
  console.log('Every step came, and all pages and servers are closed.')
}

const exitsWith = (code) => ({
  title: `the host's exit code ${code}`,
  fits: (news) => news.kind === 'exit' && news.code === code,
})

/** The result that a player's page shows. */
async function ranking(page) {
  const list = await page.waitForSelector('#ranking:not([hidden])', { timeout: PATIENCE_MS })
  return list.evaluate(({ innerText }) => innerText.trim().split('\n').join('; '))
}

async function takeScreenshot(page, seconds, path) {
  // Or later: on a busy machine the middle may have passed when this is asked. Without an interval it would be asked with
  // each frame, and a page that others hide has none.
  const isMidway = (half) => {
    const { phase, left } = document.body.dataset
    const isOver = !document.getElementById('ranking').hidden
    return isOver || (phase === 'playing' && Number(left) <= half)
  }
  const patience = { timeout: PATIENCE_MS + seconds * 1000, polling: 50 }
  await page.waitForFunction(isMidway, patience, Math.ceil(seconds / 2))
  await page.screenshot({ path })
}

const state = (name) => ({ title: name, fits: (news) => news.kind === 'state' && news.state === name })

const opening = [state('Scheduled'), state('RequestReady'), state('Ready')]

const joining = (players) => [
  {
    title: `${players} players in the counter`,
    fits: (news) => news.kind === 'counter' && news.name === 'players' && news.count === players,
  },
  {
    title: `${players} names in the list`,
    fits: (news) => news.kind === 'list' && news.name === 'roster' && news.values.length === players,
  },
]

/** The steps of a whole match, in the order in which the watch must report them. */
const lifecycle = (players) => [...opening, inAnyOrder(joining(players)), state('Allocated'), state('Shutdown')]

/** The sidecar writes counters and lists separately. */
function inAnyOrder(steps) {
  const missing = new Set(steps)
  return {
    title: steps.map(({ title }) => title).join(' and '),
    fits(news) {
      for (const step of missing) if (step.fits(news)) missing.delete(step)
      return missing.size === 0
    },
  }
}

/** Resolves when the watch has reported each step in order. Rejects with a sentence if a step doesn't come. */
function followLifecycle(steps, patience) {
  let settle
  let timer
  let reached = 0
  let last = 'nothing'
  const done = new Promise((resolve, reject) => {
    settle = { resolve, reject }
  })
  done.catch(() => {}) // looked at later

  function wait() {
    timer = setTimeout(() => {
      settle.reject(
        new Error(
          `The watch did not report ${steps[reached].title} within ${patience / 1000} s; ` +
            `the last step it reported was ${last}.`,
        ),
      )
    }, patience).unref() // once both processes have ended, there is nothing to wait for
  }

  wait()
  return {
    done,
    cancel: () => clearTimeout(timer),
    news(item) {
      if (reached === steps.length || !steps[reached].fits(item)) return
      last = steps[reached].title
      reached += 1
      clearTimeout(timer)
      if (reached === steps.length) settle.resolve()
      else wait()
    },
  }
}
