// The token of a server that asks for one: kept as long as the tab lives, and told to other tabs of the same server.
const name = "token";

export class Token {
  #asking = null;
  #tabs = new BroadcastChannel("manyply");
  #before = null;  // what the present one took the place of, since it was not enough
  declined = false;  // the dialog was closed: it does not come back until something is asked for again

  /**
   * `ask({refused, why})` shows a dialog and resolves to what was entered, or null; `refused`: there was one, and it is
   * wrong, or, if there is a `why`, not enough. `dismiss()` closes the dialog, since another tab has been told.
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

  /**
   * Another one than `refused`; null if nobody has any. However many requests were refused, one dialog is shown. `why`:
   * the token is known, and may not do what somebody has just asked for.
   */
  async renew(refused, why = "") {
    if (this.value && this.value !== refused) return this.value;
    if (this.declined && !why) return null;
    this.#asking ??= this.#find(refused, why).finally(() => { this.#asking = null; });
    return this.#asking;
  }

  async #find(refused, why) {
    this.#tabs.postMessage({wanted: true});
    await new Promise(resolve => setTimeout(resolve, 200));
    if (this.value && this.value !== refused) return this.value;
    const entered = await this.ask({refused: refused != null, why});
    if (!entered && this.value && this.value !== refused) return this.value;
    if (entered) {
      if (why) this.#before = refused;
      this.#tell(entered);
    } else if (!why && this.#before) {
      this.#tell(this.#before);  // it was good for something
      this.#before = null;
    } else {
      this.declined = !why;
    }
    return entered;
  }
  #tell(token) {
    sessionStorage.setItem(name, token);
    this.#tabs.postMessage({token});
  }
}
