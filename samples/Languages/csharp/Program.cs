// Products in a cache server, stored by any of three languages and read by all of them:
//   Products set 7 "Rubber duck" 2.5 | get 7 | many 7 8 9 | watch 3
// The server is at PILE_ADDRESS, 127.0.0.1:7171 unless set.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Threading.Tasks;
using Languages;
using Pile;
using Pile.Client;

// In the clear, or by TLS where PILE_CA names the file of the authority; with the token of PILE_TOKEN where there is one.
string? authority = Environment.GetEnvironmentVariable("PILE_CA");
await using var client = new PileClient(new PileClientOptions
{
    Address = $"{(authority is null ? "http" : "https")}://{Environment.GetEnvironmentVariable("PILE_ADDRESS") ?? "127.0.0.1:7171"}",
    Token = Environment.GetEnvironmentVariable("PILE_TOKEN"),
    Tls = new PileClientTlsOptions { AuthorityFile = authority },
});
var codec = new PileContractCodec<Product>();
PileClientTable table = client.Table("products");
try
{
    _ = await client.CreateTableAsync("products");
    switch (args)
    {
        case ["set", string id, string name, string price]:
            var product = new Product
            {
                Id = long.Parse(id, CultureInfo.InvariantCulture),
                Name = name,
                Price = double.Parse(price, CultureInfo.InvariantCulture),
                Picture = [0, 127, 255],
                Stock = { ["K\u00f6ln"] = 3, ["\u6771\u4eac"] = 9007199254740993 },
                Tags = { "new", "csharp" },
                Changed = TimeProvider.System.GetUtcNow().UtcDateTime,
            };
            var terms = new PileClientTerms { TimeToLive = TimeSpan.FromHours(1), Tags = ["products"] };
            Console.WriteLine(await table.SetAsync(KeyOf(id), product, codec, terms));
            break;
        case ["get", string id]:
            PrintFound(KeyOf(id), await table.GetAsync(KeyOf(id), codec));
            break;
        case ["many", .. string[] ids]:
            byte[]?[] values = await table.GetManyAsync([.. ids.Select(static id => new PileKey(KeyOf(id)))]);
            for (int at = 0; at < ids.Length; at++)
            {
                PrintFound(KeyOf(ids[at]), values[at] is { } value ? codec.Read(value) : null);
            }

            break;
        case ["watch", string count]:
            await WatchAsync(int.Parse(count, CultureInfo.InvariantCulture));
            break;
        default:
            throw new FormatException($"'{string.Join(' ', args)}' is none of: set ID NAME PRICE, get ID, many ID..., watch COUNT.");
    }
}
catch (Exception failure) when (failure is PileClientException or FormatException)
{
    Console.Error.WriteLine(failure is PileClientException { Status: { } status } ? $"{status}: {failure.Message}" : failure.Message);
    return 1;
}

return 0;

// Every change is told that comes after the first group, which comes at once.
async Task WatchAsync(int count)
{
    bool isFirst = true;
    await foreach (IReadOnlyList<PileChange> changes in table.WatchAsync(KeyOf("")))
    {
        if (isFirst)
        {
            Console.WriteLine("watching");
            isFirst = false;
        }

        foreach (PileChange change in changes)
        {
            Console.WriteLine($"{change.Kind} {new PileKey(change.Key)}");
            if (--count == 0)
            {
                return;
            }
        }
    }
}

static string KeyOf(string id) => $"product:{id}";

static void PrintFound(string key, Product? product)
{
    if (product is null)
    {
        Console.WriteLine($"{key}: none");
        return;
    }

    string picture = product.Picture is { } bytes ? Convert.ToHexStringLower(bytes) : "none";
    string stock = string.Join(", ", product.Stock.OrderBy(static place => place.Key, StringComparer.Ordinal).Select(static place => $"{place.Key} {place.Value}"));
    string changed = $"{new DateTimeOffset(product.Changed).ToUnixTimeSeconds()}.{product.Changed.Ticks % TimeSpan.TicksPerSecond:d7}00";
    FormattableString line = $"{product.Id} {product.Name}: {product.Price}; picture {picture}; note {product.Note ?? "none"}; stock {stock}; tags {string.Join(", ", product.Tags)}; changed {changed}";
    Console.WriteLine(FormattableString.Invariant(line));
}
