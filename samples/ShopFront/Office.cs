// The office, where products come from that nobody has asked for yet.
using System.Net;
using System.Net.Http;
using System.Net.Http.Json;
using System.Threading;
using System.Threading.Tasks;

namespace Shop;

/// <summary>Asks the office.</summary>
/// <param name="http">Where the office is.</param>
internal sealed class Office(HttpClient http)
{
    /// <summary>A product, or null where the office has none of that number.</summary>
    internal async ValueTask<Product?> FindAsync(int id, CancellationToken cancel)
    {
        using HttpResponseMessage answer = await http.GetAsync($"products/{id}", cancel);
        return answer.StatusCode == HttpStatusCode.NotFound ? null : await answer.EnsureSuccessStatusCode().Content.ReadFromJsonAsync<Product>(cancel);
    }
}
