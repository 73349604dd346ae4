/** How long each step may take by default, on a machine that has other things to do. */
const PATIENCE_MS = 20_000

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

/** The steps of a whole match, in the order in which the watch has to report them. */
export const lifecycle = (players) => [...opening, inAnyOrder(joining(players)), state('Allocated'), state('Shutdown')]

/** Counters and lists are written apart from each other. */
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

/** Resolves when every step has been told in order; rejects, in a sentence, when one doesn't come. */
export function followLifecycle(steps, patience = PATIENCE_MS) {
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
