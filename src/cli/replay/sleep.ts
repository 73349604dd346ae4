/** Longest time that a timer takes. */
const longest = 2 ** 31 - 1

/** Waits, also for longer than a timer can. */
export async function sleep(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= longest) {
    await new Promise((resolve) => setTimeout(resolve, Math.min(left, longest)))
  }
}
