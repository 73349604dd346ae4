/** Seconds of heartbeat that are shown. */
const SPAN = 20

/** A strip that moves to the left, with a mark for each beat: what the page's `health` events tell. */
export function showBeats(strip, text, sidecar) {
  let last

  sidecar.on('health', (health) => {
    last = health
    // Nobody was there for the beat yet.
    if (health.ok === undefined) return showAge()
    const mark = document.createElement('i')
    mark.className = health.ok ? 'ok' : 'bad'
    mark.title = health.reason ?? new Date(health.at).toLocaleTimeString()
    strip.append(mark)
    mark.animate({ left: ['100%', '0%'] }, SPAN * 1000).onfinish = () => mark.remove()
    showAge()
  })

  function showAge() {
    const { lastBeat, heartbeat } = sidecar.status
    const seconds = ((Date.now() - lastBeat) / 1000).toFixed(1)
    const age = lastBeat === undefined ? 'no beat yet' : `last beat ${seconds} s ago`
    const by = heartbeat === undefined ? '' : `sent by ${heartbeat === 'worker' ? 'a worker' : 'the page'}`
    const limit = last?.limit === undefined ? '' : `Unhealthy after ${last.limit / 1000} s without`
    text.textContent = [age, by, last?.ok === false ? last.reason : limit].filter(Boolean).join(' · ')
    text.classList.toggle('bad', last?.ok === false)
  }
  setInterval(showAge, 200)
  showAge()
}
