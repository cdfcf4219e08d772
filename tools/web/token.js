// The token of a server that asks for one: kept as long as the tab lives, and told to other tabs of the same server.
const name = "token";

export class Token {
  #asking = null;
  #tabs = new BroadcastChannel("manyply");
  declined = false;  // the dialog was closed: it does not come back until something is asked for again

  /**
   * `ask(refused)` shows a dialog and resolves to what was entered, or null; `refused`: there was one, and it is wrong.
   * `dismiss()` closes the dialog, since another tab has been told.
   */
  constructor(ask, dismiss) {
    this.ask = ask;
    this.#tabs.addEventListener("message", ({data}) => {
      if (data.token) {
        sessionStorage.setItem(name, data.token);
        dismiss();
      } else if (data.wanted && this.value) {
        this.#tabs.postMessage({token: this.value});
      }
    });
  }

  get value() {
    return sessionStorage.getItem(name);
  }

  /** Another one than `refused`; null if nobody has any. However many requests were refused, one dialog is shown. */
  async renew(refused) {
    if (this.value && this.value !== refused) return this.value;
    if (this.declined) return null;
    this.#asking ??= this.#find(refused).finally(() => { this.#asking = null; });
    return this.#asking;
  }

  async #find(refused) {
    this.#tabs.postMessage({wanted: true});
    await new Promise(resolve => setTimeout(resolve, 200));
    if (this.value && this.value !== refused) return this.value;
    const entered = await this.ask(refused != null);
    if (!entered && this.value && this.value !== refused) return this.value;
    this.declined = !entered;
    if (!entered) return null;
    sessionStorage.setItem(name, entered);
    this.#tabs.postMessage({token: entered});
    return entered;
  }
}
