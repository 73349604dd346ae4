import { isSidecarError, type CounterUpdate, type SidecarClient } from '../index.js'
import { told } from './errors.js'

/** Counters and lists, which the GameServer spec must define. */
export class Beta {
  private readonly client: SidecarClient

  constructor(client: SidecarClient) {
    this.client = client
  }

  async getCounterCount(key: string): Promise<number> {
    const { count } = await told(this.client.getCounter(key))
    return count
  }

  async incrementCounter(key: string, amount: number): Promise<void> {
    await this.updateCounter(key, { countDiff: amount })
  }

  async decrementCounter(key: string, amount: number): Promise<void> {
    await this.updateCounter(key, { countDiff: typeof amount === 'number' ? -amount : amount })
  }

  async setCounterCount(key: string, amount: number): Promise<void> {
    await this.updateCounter(key, { count: amount })
  }

  async getCounterCapacity(key: string): Promise<number> {
    const { capacity } = await told(this.client.getCounter(key))
    return capacity
  }

  async setCounterCapacity(key: string, amount: number): Promise<void> {
    await this.updateCounter(key, { capacity: amount })
  }

  async getListCapacity(key: string): Promise<number> {
    const { capacity } = await told(this.client.getList(key))
    return capacity
  }

  async setListCapacity(key: string, amount: number): Promise<void> {
    await told(this.client.updateList(key, { capacity: amount }))
  }

  async listContains(key: string, value: string): Promise<boolean> {
    return (await this.getListValues(key)).includes(value)
  }

  async getListLength(key: string): Promise<number> {
    return (await this.getListValues(key)).length
  }

  async getListValues(key: string): Promise<string[]> {
    const { values } = await told(this.client.getList(key))
    return values
  }

  async appendListValue(key: string, value: string): Promise<void> {
    await told(this.client.addListValue(key, value))
  }

  async deleteListValue(key: string, value: string): Promise<void> {
    await told(this.client.removeListValue(key, value))
  }

  private async updateCounter(key: string, update: CounterUpdate): Promise<void> {
    try {
      await told(this.client.updateCounter(key, update))
    } catch (error) {
      // It is done. Only the answer can't be a number, and nobody reads it.
      if (!isSidecarError(error) || error.code !== 'UNSAFE_INTEGER') throw error
    }
  }
}
