// Products as JSON of a given size, each with its own number.
// The rest is a text that fills it.
using System.Text;

namespace JsonFromLease;

/// <summary>Makes JSON.</summary>
internal static class ProductJson
{
    /// <summary>The JSON of a product.</summary>
    /// <param name="id">Its number.</param>
    /// <param name="bytes">Bytes of the JSON, at least 64.</param>
    internal static byte[] Of(int id, int bytes)
    {
        string head = $"{{\"id\":{id},\"text\":\"";
        return Encoding.UTF8.GetBytes(head.PadRight(bytes - 2, 'x') + "\"}");
    }
}
