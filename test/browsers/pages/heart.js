// A page whose client beats by itself. All times are ms since the Unix epoch.
const health = []
let client

Object.assign(globalThis, {
  /** Resolves with those that did not, when the worker has taken over and so many beats went well. */
  async startHeart(autoHealth, options, enough = 3) {
    client = GameServerSidecar.createClient({ ...options, autoHealth })
    client.on('health', ({ ok, at, reason }) => health.push({ ok, at, reason }))
    while (client.status.heartbeat !== 'worker' || health.filter(({ ok }) => ok).length < enough) await rest(20)
    const heard = health.splice(0)
    const first = heard.findIndex(({ ok }) => ok)
    // On a slow machine the sidecar's first answer may take longer than a beat's interval.
    return heard.filter(({ ok, reason }, at) => !ok && (at > first || reason !== 'waiting for the sidecar'))
  },

  /** The same where no worker may be had: resolves with who beats, after so many beats that went well. */
  async startHeartWithoutWorker(autoHealth, enough) {
    client = GameServerSidecar.createClient({ autoHealth })
    await new Promise((resolve) => client.on('health', ({ ok }) => ok && !--enough && resolve()))
    return client.status.heartbeat
  },

  /** Keeps the page's thread busy, a moment later; resolves with when that was. */
  block: (ms) =>
    new Promise((resolve) =>
      setTimeout(() => {
        const from = Date.now()
        while (Date.now() < from + ms);
        resolve({ from, to: Date.now() })
      }, 100),
    ),

  untilStalled: () => new Promise((resolve) => client.on('health', ({ reason }) => reason === 'stalled' && resolve())),
  rest: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  heldBack: () => health.filter(({ ok }) => !ok),
  heartbeat: () => client.status.heartbeat,

  /** A game loop by a timer, that says with each round that the game is alive. */
  startLoop() {
    client.alive()
    const loop = setInterval(() => client.alive(), 50)
    globalThis.stopLoop = () => {
      clearInterval(loop)
      return Date.now()
    }
  },

  untilHidden: () =>
    new Promise((resolve) => {
      const look = () => document.visibilityState === 'hidden' && resolve(Date.now())
      document.addEventListener('visibilitychange', look)
      look()
    }),

  /** How often a page's own timer of 50 ms fires until `ms` have passed. */
  countTimers: (ms) =>
    new Promise((resolve) => {
      const from = Date.now()
      let count = 0
      const next = () => (Date.now() < from + ms ? setTimeout(next, 50, count++) : resolve(count))
      next()
    }),
})
