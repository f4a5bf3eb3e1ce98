// The two answers, which differ in where the bytes are.
// A lease belongs to its thread: what is between its beginning and its end does not await.
using System.Buffers;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Http;
using Pile;
using Pile.Cache;

namespace JsonFromLease;

/// <summary>Writes answers.</summary>
internal static class Answers
{
    /// <summary>Answers with the bytes of an array.</summary>
    internal static Task OfArray(HttpResponse response, byte[] array)
    {
        Begin(response, array.Length);
        response.BodyWriter.Write(array);
        return Task.CompletedTask;
    }

    /// <summary>Answers with the bytes of a cache's entry, or with 404.</summary>
    internal static Task OfLease(HttpResponse response, PileTable<int, byte[]> products, int id)
    {
        if (!products.TryLease(id, out PileLease lease))
        {
            response.StatusCode = StatusCodes.Status404NotFound;
            return Task.CompletedTask;
        }

        using (lease)
        {
            Begin(response, lease.Bytes.Length);
            response.BodyWriter.Write(lease.Bytes);
        }

        return Task.CompletedTask;
    }

    private static void Begin(HttpResponse response, int bytes)
    {
        response.ContentType = "application/json";
        response.ContentLength = bytes;
    }
}
