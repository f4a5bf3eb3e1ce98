// What a visitor has chosen, kept in the session. Sessions load and store by themselves too, but hide it when the cache server can't be reached:
// a lost change is only a line of the log then. Here it is an answer: 503, to be asked again.
using System;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Http;
using Pile.Client;

namespace SessionStore;

/// <summary>The requests on the basket.</summary>
internal static class Basket
{
    private const string Key = "basket";
    private const int ItemsMax = 100;

    /// <summary>What is in it.</summary>
    internal static Task<IResult> ReadAsync(HttpContext context, CancellationToken cancel) => ChangeAsync(context, static items => items, cancel);

    /// <summary>Puts an item into it.</summary>
    internal static Task<IResult> AddAsync(HttpContext context, string item, CancellationToken cancel) =>
        item.Length > 64 ? Task.FromResult(Results.BadRequest("An item has at most 64 chars.")) : ChangeAsync(context, items => [.. items, item], cancel);

    /// <summary>Takes everything out of it.</summary>
    internal static Task<IResult> EmptyAsync(HttpContext context, CancellationToken cancel) => ChangeAsync(context, static _ => [], cancel);

    private static async Task<IResult> ChangeAsync(HttpContext context, Func<string[], string[]> change, CancellationToken cancel)
    {
        ISession session = context.Session;
        try
        {
            await session.LoadAsync(cancel);
            string[] before = session.GetString(Key) is { } json ? JsonSerializer.Deserialize<string[]>(json)! : [];
            string[] after = change(before);
            if (after.Length > ItemsMax)
            {
                return Results.BadRequest($"A basket has at most {ItemsMax} items.");
            }

            if (after != before)
            {
                session.SetString(Key, JsonSerializer.Serialize(after));
            }

            await session.CommitAsync(cancel);
            return Results.Ok(after);
        }
        catch (PileClientException away) when (away.IsRetrySafe)
        {
            context.Response.Headers.RetryAfter = "1";
            return Results.Text("Sessions can't be reached just now.", statusCode: StatusCodes.Status503ServiceUnavailable);
        }
    }
}
