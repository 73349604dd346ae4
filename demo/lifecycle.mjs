/** How long each step may take, on a machine that has other things to do. */
const PATIENCE_MS = 20_000

const state = (name) => ({ title: name, fits: (news) => news.kind === 'state' && news.state === name })

/** What a whole match is made of, in the order in which the watch has to report it. */
export const lifecycle = (players) => [
  state('Scheduled'),
  state('RequestReady'),
  state('Ready'),
  state('Allocated'),
  {
    title: `${players} players in the counter`,
    fits: (news) => news.kind === 'counter' && news.name === 'players' && news.count === players,
  },
  {
    title: `${players} names in the list`,
    fits: (news) => news.kind === 'list' && news.name === 'roster' && news.values.length === players,
  },
  state('Shutdown'),
]

/** Resolves when every step has been told in order; rejects, in a sentence, when one doesn't come. */
export function followLifecycle(steps) {
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
      settle.reject(new Error(`The watch did not report ${steps[reached].title} within ${PATIENCE_MS / 1000} s; ` +
        `the last step it reported was ${last}.`))
    }, PATIENCE_MS).unref() // once both processes have ended, there is nothing to wait for
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
