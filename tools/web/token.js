// The token for a server with access control. It is kept until the tab is closed, and shared with other tabs of the same
// server.
const name = "token";

export class Token {
  #asking = null;
  #tabs = new BroadcastChannel("manyply");
  #before = null;  // the previous token, replaced because it had too few rights
  declined = false;  // the user closed the dialog; it stays closed until the next request

  /**
   * `ask({refused, why})` shows a dialog and resolves to the entered token or null. `refused` means that the server
   * refused the previous token. If `why` is given, that token is valid but has too few rights. Otherwise that token is
   * wrong. `dismiss()` closes the dialog because another tab received a token.
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
   * Resolves to a token other than `refused`; null if the user has none. Shows only one dialog, even if many requests were
   * refused. `why` is the server's reason if `refused` is valid but does not permit the request.
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
      this.#tell(this.#before);  // the previous token is valid for other requests
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
