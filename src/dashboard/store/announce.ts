import { set } from './state.js'

const SHOWN = 5000
/** A screen reader is told one thing a second at most. */
const PAUSE = 1000

const waiting = { act: '', news: '', lastAt: -PAUSE, timer: undefined as ReturnType<typeof setTimeout> | undefined }

/** Tells the user in one polite line. News waits until what the user's own act came to is told. */
export function announce(text: string, isNews = false): void {
  waiting[isNews ? 'news' : 'act'] = text
  clearTimeout(waiting.timer)
  waiting.timer = setTimeout(show, waiting.lastAt + PAUSE - performance.now())
}

function show(): void {
  const told = waiting.act || waiting.news
  if (!waiting.act) waiting.news = ''
  waiting.act = ''
  set({ told })
  if (!told) return
  waiting.lastAt = performance.now()
  waiting.timer = setTimeout(show, waiting.news ? PAUSE : SHOWN)
}
