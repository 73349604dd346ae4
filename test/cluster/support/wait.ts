/** Asks again and again until there is an answer. The test's own time limit ends it, and `what` says what was missing. */
export async function until<T>(what: string, ask: () => Promise<T | undefined> | T | undefined): Promise<T> {
  const started = Date.now()
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    if (Date.now() - started > PATIENCE) throw new Error(`Waited ${PATIENCE / 1000} s for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** A node that has to fetch an image first takes its time. */
const PATIENCE = 120_000
